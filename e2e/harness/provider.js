// A real OpenID Connect provider (`oidc-provider`), in this process, on a port of its own.
import { once } from "node:events";
import http from "node:http";
import { SignJWT, exportJWK, generateKeyPair, importJWK } from "jose";
import { Provider as Oidc } from "oidc-provider";

const CLIENT = { id: "burgee", secret: "a secret with : and % in it, long enough" };

export class Provider {
  /** People by the name that they sign in with: { email, email_verified, name, groups }. */
  people = {};
  /** Changes the claims of the tokens that are given out; null leaves them alone. */
  tamper = null;
  #oidc;
  #keys = [];
  #generation = 0;
  #server;

  /** Starts a provider that lets browsers go back to `redirect`. */
  static async start(redirect) {
    const provider = new Provider();
    provider.client = CLIENT;
    provider.redirect = redirect;
    provider.#server = http.createServer((request, response) => provider.#oidc(request, response));
    await once(provider.#server.listen(0, "127.0.0.1"), "listening");
    provider.issuer = `http://127.0.0.1:${provider.#server.address().port}`;
    await provider.rotate("RS256");
    return provider;
  }

  /** Signs with a new key from now on, and publishes no other any more. */
  async rotate(algorithm) {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const key = { ...(await exportJWK(privateKey)), alg: algorithm, use: "sig" };
    key.kid = `key-${++this.#generation}`;
    this.#keys = [key];
    this.#oidc = this.#configured(algorithm).callback();
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #configured(algorithm) {
    const oidc = new Oidc(this.issuer, {
      jwks: { keys: this.#keys },
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [this.redirect],
          id_token_signed_response_alg: algorithm,
        },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
      cookies: { keys: ["only for tests"] },
      enabledJWA: { idTokenSigningAlgValues: ["RS256", "PS256", "ES256", "EdDSA"] },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...this.people[id] }) }),
    });
    oidc.use(async (context, next) => {
      await next();
      if (context.oidc?.route === "token" && context.body.id_token && this.tamper) {
        context.body.id_token = await this.#resigned(context.body.id_token);
      }
    });
    oidc.on("server_error", (_, error) => console.error("the provider failed:", error));
    return oidc;
  }

  /** A token of this provider's own key, with other claims. */
  async #resigned(token) {
    const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
    const [key] = this.#keys;
    return new SignJWT(this.tamper(claims))
      .setProtectedHeader({ alg: key.alg, kid: key.kid })
      .sign(await importJWK(key, key.alg));
  }
}

// Somebody with a browser, as far as it takes to sign in: cookies, redirects, a form.

export class Person {
  // Cookies by origin: all servers are on one host here.
  #cookies = new Map();

  /** Someone with the same cookies, from here on apart. */
  copy() {
    const other = new Person();
    for (const [origin, jar] of this.#cookies) other.#cookies.set(origin, new Map(jar));
    return other;
  }

  /** One request, as a browser sends it; redirects are not followed. */
  async ask(url, { form, json, method, headers } = {}) {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map();
    const body = form ? new URLSearchParams(form).toString() : json && JSON.stringify(json);
    const response = await fetch(url, {
      method: method ?? (body ? "POST" : "GET"),
      redirect: "manual",
      headers: {
        cookie: [...jar].map((pair) => pair.join("=")).join("; "),
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...(json && { "content-type": "application/json" }),
        ...headers,
      },
      body,
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair, ...rest] = cookie.split("; ");
      const at = pair.indexOf("=");
      const over = rest.some((part) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(part));
      if (over) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    this.#cookies.set(origin, jar);
    return response;
  }

  /**
   * Begins to sign in at `server` and does what the provider asks, as `name`; gives the address
   * that the provider sends the browser back to, which has not been opened.
   */
  async atProvider(server, name, { organization = "default", returnTo } = {}) {
    const start = new URL(`${server.url}/api/v1/session/oidc/${organization}`);
    if (returnTo) start.searchParams.set("returnTo", returnTo);
    let response = await this.ask(start.href);
    for (;;) {
      const location = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && location) {
        const next = new URL(location, response.url);
        if (next.origin === server.url) return next.href;
        response = await this.ask(next.href);
        continue;
      }
      const page = await response.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      if (!action) throw new Error(`no way on at ${response.url}: ${response.status} ${page}`);
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)[1];
      const form = { prompt, login: name, password: "any" };
      response = await this.ask(new URL(action, response.url).href, { form });
    }
  }

  /** Signs in by the provider, to the end. */
  async signIn(server, name, options) {
    return this.ask(await this.atProvider(server, name, options));
  }

  /** Calls the API in this browser's session. */
  async api(server, method, route, json) {
    const response = await this.ask(`${server.url}/api/v1${route}`, { method, json });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }
}

import { expect, it } from "vitest";
import { cli, curl, textsOf, yaml } from "./copy-as";

const server = "http://127.0.0.1:5100";

it("a question is one line, a change has its body beside it", () => {
  const query = { search: "it's new", tag: "shop" };
  expect(curl({ path: "/api/v1/projects/web/flags", query }, server)).toBe(
    `curl --fail-with-body --header "Authorization: Bearer $BURGEE_TOKEN" 'http://127.0.0.1:5100/api/v1/projects/web/flags?search=it%27s+new&tag=shop'\n`,
  );
  expect(curl({ path: "/api/v1/changes", body: { commands: [] } }, server)).toBe(
    [
      `curl --fail-with-body --header "Authorization: Bearer $BURGEE_TOKEN" 'http://127.0.0.1:5100/api/v1/changes' --json @- <<'JSON'`,
      '{\n  "commands": []\n}\nJSON\n',
    ].join("\n"),
  );
});

it("a file is YAML that reads as the same again", () => {
  const file = {
    burgee: 1,
    project: "web",
    flags: {
      on: {
        description: "",
        tags: ["a b", "shop"],
        variations: [{ value: "true", name: null }, { value: 'say "no"\n#1' }],
        environments: {
          prod: { enabled: true, rules: [{ if: [{ op: "IsOneOf", values: ["1"] }] }] },
        },
        empty: [],
      },
    },
  };
  expect(yaml(file)).toBe(`burgee: 1
project: web
flags:
  "on":
    description: ""
    tags:
      - "a b"
      - shop
    variations:
      - value: "true"
        name: null
      - value: "say \\"no\\"\\n#1"
    environments:
      prod:
        enabled: true
        rules:
          - if:
              - op: IsOneOf
                values:
                  - "1"
    empty: []
`);
  expect(cli("acme", "burgee: 1\n")).toBe(
    "burgee apply --organization acme --yes - <<'YAML'\nburgee: 1\nYAML\n",
  );
});

it("only what is there is offered", () => {
  const commands = [{ kind: "turnOn", project: "web", environment: "dev", flag: "cart" }] as const;
  const set = { commands: [...commands] };
  expect(Object.keys(textsOf({ organization: "acme", set }, server))).toEqual(["curl", "json"]);
  const link = "/acme/web/flags";
  expect(textsOf({ organization: "acme", link }, server).link?.()).toBe(`${server}${link}`);
  const flags = { project: "web", keys: ["cart"] };
  expect(Object.keys(textsOf({ organization: "acme", flags }, server))).toEqual([
    "cli",
    "json",
    "yaml",
  ]);
});

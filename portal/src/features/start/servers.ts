/** First programs of other languages, on servers. */
import type { Program } from "./program";

export const python: Program = {
  id: "python",
  name: "Python",
  kind: "server",
  install: "pip install fb-python-sdk==1.2.1",
  file: "first_flag.py",
  run: "python first_flag.py",
  code: ({ key, flag, http, ws }) => `from fbclient.client import FBClient
from fbclient.config import Config

client = FBClient(
    Config(
        "${key}",
        event_url="${http}",
        streaming_url="${ws}",
    )
)
user = {"key": "ada", "name": "Ada"}


def show(*_):
    print("${flag} is", client.variation("${flag}", user, False), flush=True)
    client.flush()


show()
client.flag_tracker.add_flag_value_changed_listener("${flag}", user, show)
input()
client.stop()
`,
};

export const go: Program = {
  id: "go",
  name: "Go",
  kind: "server",
  install: "go get github.com/featbit/featbit-go-sdk@v1.1.2",
  file: "main.go",
  run: "go run .",
  code: ({ key, flag, http, ws }) => `package main

import (
	"fmt"
	"log"
	"time"

	featbit "github.com/featbit/featbit-go-sdk"
	"github.com/featbit/featbit-go-sdk/interfaces"
)

func main() {
	client, err := featbit.NewFBClient(
		"${key}",
		"${ws}",
		"${http}",
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	user, _ := interfaces.NewUserBuilder("ada").UserName("Ada").Build()
	before := ""
	for {
		value, _, _ := client.BoolVariation("${flag}", user, false)
		if now := fmt.Sprint("${flag} is ", value); now != before {
			fmt.Println(now)
			before = now
		}
		time.Sleep(time.Second)
	}
}
`,
};

export const java: Program = {
  id: "java",
  name: "Java",
  kind: "server",
  install: `<dependency>
  <groupId>co.featbit</groupId>
  <artifactId>featbit-java-sdk</artifactId>
  <version>1.4.4</version>
</dependency>`,
  file: "FirstFlag.java",
  run: "mvn compile exec:java -Dexec.mainClass=FirstFlag",
  code: ({ key, flag, http, ws }) => `import co.featbit.commons.model.FBUser;
import co.featbit.server.FBClientImp;
import co.featbit.server.FBConfig;
import co.featbit.server.exterior.FBClient;

public class FirstFlag {
    public static void main(String[] args) throws Exception {
        FBConfig config = new FBConfig.Builder()
                .streamingURL("${ws}")
                .eventURL("${http}")
                .build();
        FBClient client = new FBClientImp("${key}", config);
        FBUser user = new FBUser.Builder("ada").userName("Ada").build();
        String before = "";
        while (true) {
            String now = "${flag} is " + client.boolVariation("${flag}", user, false);
            if (!now.equals(before)) {
                System.out.println(now);
                before = now;
            }
            Thread.sleep(1000);
        }
    }
}
`,
};

export const dotnet: Program = {
  id: "dotnet",
  name: ".NET",
  kind: "server",
  install: "dotnet add package FeatBit.ServerSdk --version 1.2.9",
  file: "Program.cs",
  run: "dotnet run",
  code: ({ key, flag, http, ws }) => `using FeatBit.Sdk.Server;
using FeatBit.Sdk.Server.Model;
using FeatBit.Sdk.Server.Options;

var options = new FbOptionsBuilder("${key}")
    .Streaming(new Uri("${ws}"))
    .Event(new Uri("${http}"))
    .Build();
var client = new FbClient(options);
var user = FbUser.Builder("ada").Name("Ada").Build();

var before = "";
while (true)
{
    var now = $"${flag} is {client.BoolVariation("${flag}", user, defaultValue: false)}";
    if (now != before) Console.WriteLine(now);
    before = now;
    await Task.Delay(1000);
}
`,
};

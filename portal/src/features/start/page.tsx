import { useParams } from "@tanstack/react-router";
import { SetUp } from "./setup";

/** The same as on the first day, for whoever comes later. */
export function ConnectPage() {
  return <SetUp {...useParams({ from: "/$organization/$project/connect" })} />;
}

// What the clients send and report.
import { readFileSync } from "node:fs";

export const FORM = { title: "Typed", body: "By a *generated* client." };

export function picture(): File {
  return new File([readFileSync("picture.png")], "picture.png", { type: "image/png" });
}

export interface Report {
  listed: number;
  title: string;
  reply: string;
  liked: boolean;
  mention: boolean;
  photo: string;
  missing: number;
  wrong: number;
}

export function report(done: Report): void {
  console.log(JSON.stringify(done));
}

// Values as people read them: every number with its unit, every enum by its bare word.
import type {Whole} from "./wire";

export const whole = (value: Whole | undefined): number => Number(value ?? 0);

const PREFIX = /^(VERDICT|BLAME|RUN_STATE|OBJECTIVE_SOURCE|AGAINST|HOW|SEVERITY|CATEGORY|PURPOSE|COVERAGE|APPLICABILITY)_/;

/** CORRECT of VERDICT_CORRECT; empty for what is unset. */
export function bare(word: string | undefined): string {
  return (word ?? "").replace(PREFIX, "").replace(/^UNSPECIFIED$/, "");
}

/** A verdict, or what stands for none yet. */
export const verdictWord = (word: string): string => bare(word) || "in work";

export const sentence = (word: string): string => bare(word).toLowerCase().replace(/_/g, " ");

/** Characters that reorder, hide or control text are shown by their numbers. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

export function duration(ns: number): string {
  if (!(ns > 0)) return "";
  const units: [string, number][] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]];
  for (const [unit, size] of units) {
    if (ns >= size) return `${(ns / size).toPrecision(4)} ${unit}`;
  }
  return `${ns.toPrecision(3)} ns`;
}

export function quantity(value: number, unit: string): string {
  if (unit === "ns") return duration(value);
  const text = Math.abs(value) >= 1e6 ? value.toExponential(3) : String(+value.toPrecision(5));
  return unit ? `${text} ${unit}` : text;
}

export const count = (value: Whole | undefined): string => whole(value).toLocaleString("en");

export const ratio = (value: number): string => (value > 0 ? `${value.toFixed(3)}×` : "");

export const percent = (share: number): string => `${(100 * share).toPrecision(3)} %`;

export function bytes(value: number): string {
  return value >= 1024 ? `${+(value / 1024).toPrecision(4)} KiB` : `${value} B`;
}

/** {"BN":128} as BN=128. */
export function binding(json: string): string {
  if (!json) return "";
  try {
    const value: unknown = JSON.parse(json);
    if (value === null || typeof value !== "object") return json;
    return Object.entries(value).map(([name, one]) => `${name}=${String(one)}`).join(" ");
  } catch {
    return json;
  }
}

export function time(us: Whole): string {
  const at = whole(us);
  return at > 0 ? new Date(at / 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "";
}

const GOOD = new Set(["CORRECT", "IMPROVED", "CONFIRMED"]);
const NEUTRAL = new Set(["", "in work", "PENDING", "RANKED_OUT", "DUPLICATE", "CANCELLED"]);

export function tone(word: string): "good" | "bad" | "" {
  if (GOOD.has(word)) return "good";
  return NEUTRAL.has(word) ? "" : "bad";
}

// A daemon, a worker and the command line in a folder of their own, and a browser to look with.
import {spawn, spawnSync} from "node:child_process";
import {existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {dirname, join, resolve} from "node:path";
import {setTimeout as sleep} from "node:timers/promises";
import {fileURLToPath} from "node:url";
import {chromium} from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(here, "../..");
export const BIN = process.env.CAKE_BIN ?? join(ROOT, "build/release/bin");
export const CORPUS = join(ROOT, "tests/corpus");
export const SCREENSHOTS = process.env.CAKE_SCREENSHOTS ?? "";
export const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
// Not a time that anything is expected to take: what has not happened by then never will.
export const PATIENCE_MS = 120_000;

// What Chromium logs about a daemon that is away is not an error of the page.
const AWAY = /net::ERR_|Failed to load resource|status of 503/;

export class World {
  constructor() {
    this.home = mkdtempSync(join(tmpdir(), "cake-page-"));
    this.port = 0;
  }

  async start() {
    const address = join(this.home, "address.json");
    rmSync(address, {force: true});
    const log = openSync(join(this.home, "caked.log"), "a");
    this.daemon = spawn(join(BIN, "caked"), ["--data-dir", this.home, "--workloads", CORPUS, "--port", "0", "--http-port",
      String(this.port), "--disk-reserve-bytes", "1048576"], {stdio: ["ignore", log, log]});
    const end = Date.now() + PATIENCE_MS;
    while (!existsSync(address)) {
      if (this.daemon.exitCode !== null || Date.now() > end) throw new Error(`caked did not start:\n${this.log()}`);
      await sleep(20);
    }
    this.address = JSON.parse(readFileSync(address, "utf8"));
    this.url = this.address.http;
    // After a restart the page finds it where it was.
    this.port = Number(new URL(this.url).port);
    return this;
  }

  startWorker() {
    const log = openSync(join(this.home, "worker.log"), "a");
    this.worker = spawn(join(BIN, "cake-worker"), ["--device", "cpu", "--connect", `unix:${this.address.unix}`, "--work-dir",
      join(this.home, "worker")], {stdio: ["ignore", log, log]});
  }

  log() {
    return readFileSync(join(this.home, "caked.log"), "utf8").slice(-3000);
  }

  async end(process, signal) {
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const over = new Promise((done) => process.once("exit", done));
    process.kill(signal);
    await over;
  }

  async kill() {
    await this.end(this.daemon, "SIGKILL");
  }

  async close() {
    await this.end(this.worker, "SIGTERM");
    await this.end(this.daemon, "SIGTERM");
    rmSync(this.home, {recursive: true, force: true});
  }

  /** `cake WORDS --json`: its answer, and the exit code. */
  cake(...words) {
    const done = spawnSync(join(BIN, "cake"), [...words], {cwd: ROOT, timeout: PATIENCE_MS, encoding: "utf8", maxBuffer: 1 << 26,
      env: {PATH: process.env.PATH, HOME: process.env.HOME ?? "/", CAKE_HOME: this.home, TERM: "dumb"}});
    return {code: done.status, out: done.stdout, err: done.stderr};
  }

  async api(path) {
    const answer = await fetch(this.url + path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

export async function browse() {
  return chromium.launch({
    executablePath: process.env.CAKE_CHROMIUM ?? "/usr/bin/chromium",
    timeout: PATIENCE_MS,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
}

/** A page that keeps what its console and its network said. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.errors = [];
  page.requests = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !AWAY.test(message.text())) page.errors.push(message.text());
  });
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("request", (request) => page.requests.push(request.url()));
  return page;
}

/** Findings of axe-core that are serious or worse, in words. */
export async function seriousFindings(page) {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const result = await page.evaluate(() => globalThis.axe.run(document));
  return result.violations.filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary ?? ""}`).join(" | ")}`);
}

export async function screenshot(page, name) {
  if (!SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, {recursive: true});
  await page.screenshot({path: join(SCREENSHOTS, `${name}.png`)});
}

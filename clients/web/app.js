// The live page. It reads one snapshot, then follows the event stream from that snapshot's sequence
// number on: an event says which candidate changed, and only that one is read again. Text of others
// is only ever set as text.
"use strict";

const ROWS_SHOWN = 200;
const REFRESH_MS = 250;
const IDS_PER_CALL = 100;

const runs = new Map();        // run id -> RunSummary
const candidates = new Map();  // candidate id -> Candidate
const changed = new Set();     // candidate ids to read again
let runsChanged = false;
let shown = ROWS_SHOWN;
let lastSeq = 0;
let timer = 0;

const byId = (id) => document.getElementById(id);
const bare = (word) => word.replace(/^(VERDICT|BLAME|RUN_STATE|OBJECTIVE_SOURCE|AGAINST)_/, "")
  .replace("UNSPECIFIED", "");

function cell(row, text, number) {
  const td = row.insertCell();
  td.textContent = text;
  if (number) td.className = "number";
  return td;
}

function duration(ns) {
  if (!(ns > 0)) return "";
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (ns >= size) return (ns / size).toPrecision(3) + " " + unit;
  }
  return ns.toPrecision(3) + " ns";
}

async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(path + ": " + answer.status);
  return answer.json();
}

function budgetText(run) {
  const line = (run.budget && run.budget.lines || []).find((one) => one.kind === "evaluations");
  return line ? line.spent + " of " + line.limit : "no limit";
}

function drawRuns() {
  const body = byId("runs").tBodies[0];
  body.textContent = "";
  for (const run of [...runs.values()].reverse()) {
    const row = body.insertRow();
    cell(row, run.run);
    cell(row, run.workload);
    cell(row, bare(run.state) + (run.reason ? " (" + run.reason + ")" : ""));
    cell(row, bare(run.objective_source));
    for (const key of ["members", "rejected", "evaluated", "queued"]) {
      cell(row, run.progress[key], true);
    }
    cell(row, budgetText(run));
    const best = run.best ? run.best.candidate + " " + run.best.binding + ": " : "";
    cell(row, best + run.text);
  }
  byId("runs-empty").hidden = runs.size > 0;
  fillFilter("run-filter", [...runs.keys()]);
}

function fillFilter(id, values) {
  const select = byId(id);
  const known = new Set([...select.options].map((option) => option.value));
  for (const value of values) {
    if (known.has(value)) continue;
    const option = document.createElement("option");
    option.value = option.textContent = value;
    select.append(option);
  }
}

function order(a, b) {
  return b.created_seq - a.created_seq;
}

function drawCandidates() {
  const run = byId("run-filter").value, verdict = byId("verdict-filter").value;
  const all = [...candidates.values()]
    .filter((c) => (!run || c.run === run) && (!verdict || bare(c.verdict) === verdict))
    .sort(order);
  const body = byId("candidates").tBodies[0];
  body.textContent = "";
  for (const c of all.slice(0, shown)) {
    const row = body.insertRow();
    row.dataset.id = c.id;
    cell(row, c.id);
    const word = bare(c.verdict) || "in work";
    cell(row, word).className = /CORRECT|IMPROVED|CONFIRMED/.test(word) ? "good"
      : /in work|RANKED_OUT|DUPLICATE/.test(word) ? "" : "bad";
    cell(row, bare(c.blame));
    cell(row, c.workload);
    for (const key of ["members", "rejected", "evaluated"]) cell(row, c.progress[key], true);
    cell(row, duration(c.best_estimate_ns), true);
    cell(row, c.intent);
  }
  byId("count").textContent = "(" + all.length + ")";
  byId("more").hidden = all.length <= shown;
  fillFilter("verdict-filter", [...new Set([...candidates.values()].map((c) => bare(c.verdict)))]
    .filter((word) => word));
}

function note(event) {
  lastSeq = Math.max(lastSeq, event.seq);
  if (event.subject.startsWith("c-")) changed.add(event.subject);
  runsChanged = true;
  if (!timer) timer = setTimeout(refresh, REFRESH_MS);
}

async function refresh() {
  timer = 0;
  const ids = [...changed].slice(0, IDS_PER_CALL);
  for (const id of ids) changed.delete(id);
  try {
    if (ids.length) {
      const reply = await read("/api/candidates?ids=" + encodeURIComponent(ids.join(",")));
      for (const candidate of reply.candidates) candidates.set(candidate.id, candidate);
      drawCandidates();
    }
    if (runsChanged) {
      runsChanged = false;
      for (const run of (await read("/api/runs")).runs) runs.set(run.run, run);
      drawRuns();
    }
  } catch (error) {
    for (const id of ids) changed.add(id);
    runsChanged = true;
  }
  if ((changed.size || runsChanged) && !timer) timer = setTimeout(refresh, 4 * REFRESH_MS);
}

async function showDetail(id) {
  const report = await read("/api/diagnose?candidate=" + encodeURIComponent(id));
  byId("detail").hidden = false;
  byId("detail-title").textContent = report.candidate + " " + report.binding + " "
    + bare(report.report.verdict);
  byId("detail-next").textContent = "Next: " + report.next_command;
  const advice = byId("advice");
  advice.textContent = "";
  for (const one of report.advice) {
    const item = document.createElement("li");
    item.textContent = one.what + " — " + one.why + (one.evidence ? " (" + one.evidence + ")" : "");
    advice.append(item);
  }
  const body = byId("changes").tBodies[0];
  body.textContent = "";
  for (const comparison of report.comparisons) {
    for (const change of comparison.changes) {
      const row = body.insertRow();
      cell(row, bare(comparison.against).toLowerCase() + " " + comparison.candidate);
      cell(row, change.name + (change.unit ? " [" + change.unit + "]" : ""));
      cell(row, change.now.toPrecision(5), true);
      cell(row, change.then.toPrecision(5), true);
    }
  }
}

async function snapshot() {
  let token = "", seq = null;
  do {
    const page = await read("/api/candidates?page_token=" + encodeURIComponent(token));
    if (seq === null) seq = Number(page.as_of_seq);
    for (const candidate of page.candidates) candidates.set(candidate.id, candidate);
    token = page.next_page_token;
  } while (token);
  const reply = await read("/api/runs");
  for (const run of reply.runs) runs.set(run.run, run);
  lastSeq = seq;
  drawRuns();
  drawCandidates();
}

function follow() {
  const stream = new EventSource("/events?from=" + lastSeq);
  stream.onopen = () => { byId("connection").textContent = "live"; };
  stream.onmessage = (message) => note(JSON.parse(message.data));
  stream.onerror = () => {
    byId("connection").textContent = "connection lost, trying again";
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  };
}

async function start() {
  try {
    await snapshot();
    follow();
  } catch (error) {
    byId("connection").textContent = "no answer, trying again";
    setTimeout(start, 2000);
  }
}

byId("run-filter").addEventListener("change", drawCandidates);
byId("verdict-filter").addEventListener("change", drawCandidates);
byId("more").addEventListener("click", () => { shown += ROWS_SHOWN; drawCandidates(); });
byId("candidates").addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-id]");
  if (row) showDetail(row.dataset.id).catch(() => {});
});
start();

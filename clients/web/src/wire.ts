// The JSON of the API: server/edge/HTTP.md, messages of proto/cake/v1. 64-bit numbers come as text.

export type Whole = number | string;

export interface Page {
  next_page_token: string;
  as_of_seq: Whole;
}

export interface Count { word: string; count: Whole }

export interface Overview {
  as_of_seq: Whole;
  runs: Count[];
  candidates: Count[];
  jobs: Count[];
  findings: Count[];
  devices: Count[];
  workers: Count[];
  demo: boolean;
}

export interface Progress {
  members: Whole; expanded: Whole; rejected: Whole; duplicates: Whole; ranked_out: Whole;
  evaluated: Whole; cancelled: Whole; queued: Whole; lost: Whole; terminal: boolean;
}

export interface Evidence { import: string; campaign: string; device: string; simulated: boolean; source_run: string }

export interface Best {
  candidate: string; binding: string; verdict: string; objective_ns: number; baseline_ns: number; source: string;
}

export interface Run {
  run: string; experiment: string; workload: string; state: string; reason: string; objective_source: string;
  seed: Whole; progress: Progress; budget?: {lines: {kind: string; limit: Whole; spent: Whole; reserved: Whole}[]};
  best?: Best; candidates: Whole; decisions: Whole; text: string; imported?: Evidence;
}
export interface Runs extends Page { runs: Run[] }

export interface Experiment {
  name: string; visibility: string; runs: Whole; running: Whole; arms: string[]; workloads: string[];
  candidates: Whole; evaluations: Whole; imported: boolean;
}
export interface Experiments extends Page { experiments: Experiment[] }

export interface CurvePoint {
  evaluations: Whole; candidate: string; binding: string; verdict: string; active_ns: Whole; gpu_ns: Whole;
  tokens: Whole; value: number; low: number; high: number; best: number;
}
export interface Curve {
  run: string; objective_source: string; unit: "ns" | "ratio"; points: CurvePoint[]; evaluations: Whole;
  simulated: boolean;
}

export interface Span { begin: number; end: number; line: number; column: number }
export interface Fix { title: string; applicability: string; edits: {span: Span; text: string}[] }
export interface Diagnostic {
  code: string; severity: string; category: string; primary?: Span; message: string; why: string;
  labels: {span: Span; text: string}[]; fixes: Fix[];
  wait_graph: {waiter: string; event: string; missing: string; arrived: Whole; needed: Whole}[];
}
export interface Estimate {
  time_ns: number; low_ns: number; high_ns: number; level: number; bottleneck?: {kind: string; share: number};
  runner_up?: {kind: string; share: number}; roofline_ns: number; calibration: string; coverage: string; shape: string;
  attribution: {span: Span; ns: number; resource: string}[]; what_if: {change: string; time_ns: number}[];
}
export interface Report {
  verdict: string; blame: string; diagnostics: Diagnostic[]; omitted: number;
  properties: {property: string; how: string; coverage: string}[]; estimate?: Estimate;
}

export interface Evaluation {
  purpose: string; protocol: string; round: number; verdict: string; blame: string; source: string;
  ratio_med: number; ratio_low: number; ratio_high: number; time_ns: number; device: string; simulated: boolean;
  at_unix_us: Whole;
}
export interface Member {
  binding: string; verdict: string; blame: string; canon_hash: string; estimate_ns: number; estimate_low_ns: number;
  estimate_high_ns: number; coverage: string; bottleneck: string; rank: number; rank_why: string;
  evaluations: Evaluation[];
}
export interface Candidate {
  id: string; run: string; experiment: string; workload: string; content_hash: string; source: string;
  parents: string[]; intent: string; tactic: string; author: string; agent_session: string; verdict: string;
  blame: string; duplicate_of: string; created_unix_us: Whole; created_seq: Whole; variants: Member[];
  progress: Progress; report?: Report; objective_source: string; best_estimate_ns: number; imported?: Evidence;
}
export interface Candidates extends Page { candidates: Candidate[]; total: Whole }

export interface Diagnose {
  candidate: string; binding: string; report: Report; bottleneck: string; next_command: string; findings: string[];
  now: {name: string; unit: string; value: number; source: string}[];
  comparisons: {
    against: string; candidate: string; binding: string; none_because: string;
    changes: {name: string; unit: string; now: number; then: number}[];
  }[];
  advice: {what: string; why: string; evidence: string}[];
  checks: {name: string; outcome: string; evidence: string}[];
  imported?: Evidence;
}

export interface Compared {
  candidate: string; binding: string; workload: string; verdict: string; blame: string; objective_source: string;
  lines: Whole; codes: string[];
}
export interface DiffLine { kind: string; from_line: number; to_line: number; text: string }
export interface Compare {
  from: Compared; to: Compared; hunks: {lines: DiffLine[]}[]; too_different: boolean; related: boolean;
  metrics: {name: string; unit: string; source: string; from: number; to: number; has_from: boolean; has_to: boolean}[];
}

export interface Explained { candidate: string; binding: string; arch: string; hardware: string; map_json: string }

export interface MapJson {
  program: string; target: string; arch: string;
  kernels: {
    name: string; function: string;
    launch: {grid: string; threads: number; dynamic_shared_bytes: number; cluster: number; ctas_per_sm: number;
             cooperative: boolean; pdl: boolean; when: string; cleared: string[]};
    registers: {role: string; first_warp: number; warps: number; registers: number; at_launch: number; setmaxnreg: string}[];
    shared: {bytes: number; limit_bytes: number; padding_bytes: number;
             buffers: {name: string; type: string; form: string; first_byte: number; bytes: number; stages: number;
                       stage_distance_bytes: number; in_turn_with: string[]}[]};
    mbarriers: {name: string; kind?: string; first_byte?: number; stages?: number; arrivals?: number}[];
    named_barriers: {used: number; limit: number};
    tmem: {columns: number; limit_columns: number;
           buffers: {name: string; type: string; first_column?: number; columns?: number}[]};
    tensor_maps: {name: string; tensor: string; dtype: string; box: number[]; swizzle_bytes?: number}[];
  }[];
}

export interface LineageLink {
  child: string; parent: string; role: string; child_tactic: string; child_verdict: string; parent_verdict: string;
}
export interface Lineage { candidate: string; links: LineageLink[]; truncated: boolean }

export interface Finding {
  id: string; fingerprint: string; route: string; state: string; title: string; count: Whole;
  first_unix_us: Whole; last_unix_us: Whole; minimised: string;
  cases: {candidate: string; verdict: string; workload: string}[];
}
export interface Findings extends Page { findings: Finding[] }

export interface ProposalGate { gate: string; outcome: string; corpus_hash: string; verifier_rev: string; report: string }
export interface Proposal {
  proposal: string; kind: string; name: string; code: string; rev: Whole; state: string; author: string;
  gates: ProposalGate[]; failures: string[]; judged: Whole; judged_min: Whole; hits: Whole; true_hits: Whole;
  true_lineages: Whole; false_hits: Whole; decided: string; decided_by: string; reason: string; next: string; text: string;
}
export interface Proposals extends Page { proposals: Proposal[] }

export interface QueuedJob {
  job: string; candidate: string; binding: string; run: string; purpose: string; state: string; priority: Whole;
  attempt: number; infra_losses: number; worker: string; needs: string[]; waits_because: string;
}
export interface Queue extends Page { jobs: QueuedJob[]; queued: Whole; leased: Whole }

export interface Device {
  name: string; uuid: string; arch: string; driver: string; state: string; reason: string; simulated: boolean;
  noise: {kernel_class: string; floor: number}[]; faults: Whole;
  workers: {name: string; state: string; candidate: string; capabilities: string[]}[];
}
export interface Devices extends Page { devices: Device[] }

export interface LogEvent { seq: Whole; at_unix_us: Whole; run: string; subject: string; kind: string; body_json: string }
export interface Events extends Page { events: LogEvent[] }

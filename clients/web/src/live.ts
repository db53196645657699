// One connection for the whole page: the daemon's event stream says what changed, and each part that
// shows something reads its own bounded answer again.
import {useEffect, useRef, useState} from "preact/hooks";
import {whole} from "./words";
import type {Overview} from "./wire";

export interface Change { seq: number; run: string; subject: string; kind: string }
export type Connection = "connecting" | "live" | "lost";

const REFRESH_MS = 1000;  // at most one read a second and part
const RETRY_MS = 2000;
const RECONNECTED: Change = {seq: 0, run: "", subject: "", kind: "reconnected"};

const listeners = new Set<(change: Change) => void>();
const watchers = new Set<(connection: Connection) => void>();
let connection: Connection = "connecting";
let lastSeq = 0;

function say(now: Connection): void {
  const before = connection;
  connection = now;
  for (const watcher of watchers) watcher(now);
  if (now === "live" && before === "lost") for (const listener of listeners) listener(RECONNECTED);
}

let stream: EventSource | undefined;

function follow(): void {
  if (stream !== undefined || document.hidden) return;
  const mine = new EventSource(`/events?from=${lastSeq}`);
  stream = mine;
  mine.onopen = () => say("live");
  mine.onmessage = (message) => {
    const change = JSON.parse(message.data as string) as Change;
    lastSeq = Math.max(lastSeq, change.seq);
    for (const listener of listeners) listener(change);
  };
  mine.onerror = () => {
    say("lost");
    if (mine.readyState !== EventSource.CLOSED || stream !== mine) return;
    stream = undefined;
    setTimeout(follow, RETRY_MS);
  };
}

// A browser keeps six connections to a host, and a stream holds one: tabs that nobody looks at would
// keep a seventh from loading. They give theirs back, and go on from where they were.
function onVisibility(): void {
  if (document.hidden) {
    stream?.close();
    stream = undefined;
  } else {
    follow();
  }
}

export async function connect(): Promise<void> {
  try {
    lastSeq = whole((await read<Overview>("/api/overview")).as_of_seq);
    document.addEventListener("visibilitychange", onVisibility);
    follow();
  } catch {
    say("lost");
    setTimeout(() => void connect(), RETRY_MS);
  }
}

export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(path, signal ? {signal} : {});
  if (!answer.ok) throw new ApiError(answer.status, (await answer.text()).trim());
  return await answer.json() as T;
}

/** /api/NAME with the parameters that are not empty. */
export function api(name: string, query: Record<string, string | number | boolean | undefined> = {}): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== "" && value !== false) parameters.set(key, String(value));
  }
  const text = parameters.toString();
  return `/api/${name}${text ? `?${text}` : ""}`;
}

/** Calls `heard` for each change until it is told to stop. */
export function listen(heard: (change: Change) => void): () => void {
  listeners.add(heard);
  return () => void listeners.delete(heard);
}

export function useConnection(): Connection {
  const [now, set] = useState(connection);
  useEffect(() => {
    watchers.add(set);
    set(connection);
    return () => void watchers.delete(set);
  }, []);
  return now;
}

export interface Data<T> { value?: T; error?: ApiError | Error }

/** Whether a change concerns what is shown. */
export type Concerns = (change: Change) => boolean;
export const everything: Concerns = () => true;
export const nothing: Concerns = () => false;

/**
 * The answer at `path`, read again when something changed that it concerns. What was read stays on
 * the page while it is read again and while the daemon is away. An empty path reads nothing.
 */
export function useData<T>(path: string, concerns: Concerns = everything): Data<T> {
  const [data, set] = useState<Data<T> & {path: string}>({path});
  const about = useRef(concerns);
  about.current = concerns;
  useEffect(() => {
    if (!path) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reading = false;
    let again = false;
    const load = async (): Promise<void> => {
      timer = undefined;
      reading = true;
      again = false;
      try {
        const value = await read<T>(path, abort.signal);
        set({path, value});
      } catch (error) {
        if (abort.signal.aborted) return;
        // A daemon that is away is no reason to show less; one that refuses is.
        const refused = error instanceof ApiError && error.status < 500 && error.status !== 429;
        set((old) => (old.path === path && old.value !== undefined && !refused ? old : {path, error: error as Error}));
      }
      reading = false;
      if (again) schedule();
    };
    const schedule = (): void => {
      again = true;
      if (!reading && timer === undefined) timer = setTimeout(() => void load(), REFRESH_MS);
    };
    const listener = (change: Change): void => {
      if (change === RECONNECTED || about.current(change)) schedule();
    };
    listeners.add(listener);
    void load();
    return () => {
      listeners.delete(listener);
      abort.abort();
      if (timer !== undefined) clearTimeout(timer);
    };
  }, [path]);
  return data.path === path ? data : {};
}

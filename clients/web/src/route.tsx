// Addresses: /candidates/c-7-142?.. A link within the page changes the address without loading again.
import type {ComponentChildren} from "preact";
import {useEffect, useState} from "preact/hooks";

export interface Place { parts: string[]; query: URLSearchParams }

function here(): Place {
  return {
    parts: location.pathname.split("/").filter((part) => part).map(decodeURIComponent),
    query: new URLSearchParams(location.search),
  };
}

const watchers = new Set<() => void>();

export function go(path: string, replace = false): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  for (const watcher of watchers) watcher();
}

export function usePlace(): Place {
  const [place, set] = useState(here);
  useEffect(() => {
    const changed = (): void => set(here());
    watchers.add(changed);
    addEventListener("popstate", changed);
    return () => {
      watchers.delete(changed);
      removeEventListener("popstate", changed);
    };
  }, []);
  return place;
}

export const runPath = (run: string): string => `/runs/${run}`;
export const candidatePath = (id: string): string => `/candidates/${id}`;
export const experimentPath = (name: string): string => `/experiments/${encodeURIComponent(name)}`;
export const findingPath = (id: string): string => `/findings/${id}`;
export const proposalPath = (id: string): string => `/proposals/${id}`;

export function Link(props: {to: string; children: ComponentChildren; class?: string; current?: boolean}) {
  return (
    <a href={props.to} class={props.class} aria-current={props.current ? "page" : undefined}
      onClick={(event) => {
        // Another tab, a download: the browser's own way.
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(props.to);
        scrollTo(0, 0);
      }}>
      {props.children}
    </a>
  );
}

/** Sets some parameters of the address; an empty value takes one away. */
export function setQuery(changes: Record<string, string>): void {
  const query = new URLSearchParams(location.search);
  for (const [key, value] of Object.entries(changes)) {
    if (value) query.set(key, value);
    else query.delete(key);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ""), true);
}

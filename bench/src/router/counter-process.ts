import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Window } from '../cpu-origins';
import { Delays } from './delays';
import type { Asked, Behaviour, Counted } from './counter';

/**
 * Destinations that answer at once, numbered by the first part of the path: `/7` is the eighth. Counts the number at
 * the end of each message id, and the age of its event, without keeping events.
 */
const MESSAGE_ID = /"messageId":"[^"]*?(\d{9})","at":"([^"]+)"/g;

/** How often each number has come, by destination; the number is the index. */
let seen = new Map<number, Uint8Array>();
let delays = new Map<number, Delays>();
let distinct = new Map<number, number>();
let repeated = 0;
let requests = 0;
let lastMs = 0;
let watched = { first: 0, lateMs: 0 };
let late: Window[] = [];
const behaviours = new Map<number, Behaviour>();
const STATUS = { well: 200, away: 503, failing: 500, throttling: 429 } as const;

const countsOf = (application: number, number: number): Uint8Array => {
  const known = seen.get(application) ?? new Uint8Array(1 << 16);
  if (number < known.length) {
    seen.set(application, known);
    return known;
  }
  const grown = new Uint8Array(2 ** Math.ceil(Math.log2(number + 1)));
  grown.set(known);
  seen.set(application, grown);
  return grown;
};

const delaysOf = (application: number): Delays => {
  const known = delays.get(application) ?? new Delays();
  delays.set(application, known);
  return known;
};

const take = (application: number, body: string): void => {
  const nowMs = Date.now();
  lastMs = nowMs;
  for (const [, digits, at = ''] of body.matchAll(MESSAGE_ID)) {
    const number = Number(digits);
    const counts = countsOf(application, number);
    if (counts[number] === 0) {
      distinct.set(application, (distinct.get(application) ?? 0) + 1);
      const sentMs = Date.parse(at);
      delaysOf(application).note(nowMs - sentMs);
      if (application < watched.first && nowMs - sentMs >= watched.lateMs)
        late.push([sentMs, nowMs]);
    } else repeated += 1;
    counts[number] = 1;
  }
};

const server = createServer((request, response) => {
  const application = Number(request.url?.slice(1));
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    requests += 1;
    const behaviour = behaviours.get(application) ?? 'well';
    if (behaviour === 'hanging') return;
    if (behaviour === 'well') take(application, Buffer.concat(parts).toString('latin1'));
    const again = behaviour === 'throttling' ? { 'Retry-After': '1' } : {};
    response.writeHead(STATUS[behaviour], { 'Content-Length': 0, ...again });
    response.end();
  });
});

const reset = (): void => {
  seen = new Map();
  delays = new Map();
  distinct = new Map();
  repeated = 0;
  requests = 0;
  lastMs = 0;
  late = [];
};

const p99Ms = (first: number): number => {
  const chosen = [...delays].filter(([application]) => application < first);
  return Delays.together(chosen.map(([, own]) => own)).percentileMs(0.99);
};

const counted = (first = 0): Counted => ({
  applications: [...distinct].map(([application, count]) => ({
    application,
    distinct: count,
    p50Ms: delaysOf(application).percentileMs(0.5),
    p95Ms: delaysOf(application).percentileMs(0.95),
    p99Ms: delaysOf(application).percentileMs(0.99),
  })),
  repeated,
  p99Ms: p99Ms(first),
  requests,
  late,
  lastMs,
});

process.on('message', (request: Asked) => {
  if (request.what === 'reset') reset();
  if (request.what === 'watch') watched = request;
  if (request.what === 'behave') behaviours.set(request.application, request.as);
  process.send?.(counted(request.what === 'count' ? request.first : undefined));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

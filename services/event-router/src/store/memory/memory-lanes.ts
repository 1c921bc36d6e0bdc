import type { TokensGiven, TokensWanted } from '@penstock/rates';
import type { LaneId } from '../lane-id';
import { MAX_PAUSES, NEAR_MS } from '../max-pauses';
import type { LaneRecord, Pause } from '../router-store';
import type { MemoryDatabase } from './memory-database';

const DAY_MS = 86_400_000;

/** Tolerance for rounding errors: less than any wait, more than the error of many additions. */
const ROUNDING_MS = 1e-3;

/** The lanes of a {@link MemoryDatabase}. */
export class MemoryLanes {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly keptDays: number,
  ) {}

  list(): LaneRecord[] {
    return [...this.database.lanes.values()]
      .map((lane) => ({ ...lane, pauses: this.kept(lane.pauses) }))
      .filter(({ pauses }) => pauses.length > 0)
      .sort((a, b) => (a.lane < b.lane ? -1 : 1));
  }

  pause(lane: LaneId, version: number, fromMs: number, reason: string): void {
    const pauses = this.database.lanes.get(lane)?.pauses ?? [];
    const last = pauses.at(-1);
    if (last?.toMs === null) return;
    const goesOn =
      last !== undefined && pauses.length >= MAX_PAUSES && fromMs - last.toMs < NEAR_MS;
    const more = goesOn
      ? [...pauses.slice(0, -1), { fromMs: last.fromMs, toMs: null }]
      : [...pauses, { fromMs: Math.max(fromMs, last?.toMs ?? -Infinity), toMs: null }];
    this.database.lanes.set(lane, { lane, version, reason, pauses: this.kept(more) });
  }

  resume(lane: LaneId, toMs: number, version?: number): void {
    const record = this.database.lanes.get(lane);
    const last = record?.pauses.at(-1);
    if (record === undefined || last?.toMs !== null) return;
    const ended = { fromMs: last.fromMs, toMs: Math.max(toMs, last.fromMs) };
    const pauses = [...record.pauses.slice(0, -1), ended];
    this.database.lanes.set(lane, {
      ...record,
      reason: '',
      pauses,
      version: version ?? record.version,
    });
  }

  takeTokens({ rate, ratePerSecond, burst, count }: TokensWanted): TokensGiven {
    const { tokensFromMs } = this.database;
    const nowMs = this.database.nowMs();
    const intervalMs = 1_000 / ratePerSecond;
    const burstMs = Math.max(1, burst) * intervalMs;
    const fromMs = Math.min(Math.max(tokensFromMs.get(rate) ?? 0, nowMs), nowMs + burstMs);
    const room = Math.floor((burstMs - (fromMs - nowMs) + ROUNDING_MS) / intervalMs);
    const given = Math.max(0, Math.min(count, room));
    const nextMs = fromMs + given * intervalMs;
    tokensFromMs.set(rate, nextMs);
    const waitMs = Math.ceil(nextMs + intervalMs - burstMs - nowMs - ROUNDING_MS);
    return { count: given, waitMs: given < count ? Math.max(1, waitMs) : 0 };
  }

  private kept(pauses: readonly Pause[]): Pause[] {
    const oldestMs = this.database.nowMs() - this.keptDays * DAY_MS;
    const lately = pauses.filter(({ toMs }) => toMs === null || toMs >= oldestMs);
    const [oldest] = lately;
    const [joined, ...newer] = lately.slice(-MAX_PAUSES);
    if (oldest === undefined || joined === undefined) return [];
    return [{ ...joined, fromMs: oldest.fromMs }, ...newer];
  }
}

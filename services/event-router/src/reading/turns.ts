import type { Place } from './place';

/** Chooses workspaces in turn, and within one the place that was served longest ago. */
export class Turns {
  private readonly servedAt = new Map<string, number>();
  private turn = 0;

  /** Chooses a place and records that it is served now. @param nowMs of the monotonic clock. */
  choose(
    candidates: readonly Place[],
    workspaceOf: (place: Place) => string,
    nowMs: number,
  ): Place | undefined {
    let best: Place | undefined;
    let bestTurn = Infinity;
    for (const place of candidates) {
      const turn = this.servedAt.get(workspaceOf(place)) ?? -1;
      if (best !== undefined && turn > bestTurn) continue;
      const isNewer = place.detachment.servedMs >= (best?.detachment.servedMs ?? Infinity);
      if (best !== undefined && turn === bestTurn && isNewer) continue;
      best = place;
      bestTurn = turn;
    }
    if (best === undefined) return undefined;
    this.turn += 1;
    this.servedAt.set(workspaceOf(best), this.turn);
    best.detachment.servedMs = nowMs;
    return best;
  }
}

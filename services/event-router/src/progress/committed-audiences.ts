import type { Audience } from '../store/changes';

/** Ids that are remembered; writing an audience again is harmless. */
const MAX_KNOWN = 10_000;

/** The audiences that commits of a partition have contained, so that each is written about once. */
export class CommittedAudiences {
  private readonly ids = new Set<string>();

  /** The audiences that have not been written yet, each once; they count as written afterwards. */
  unwritten(audiences: Iterable<Audience>): readonly Audience[] {
    if (this.ids.size >= MAX_KNOWN) this.ids.clear();
    const unwritten: Audience[] = [];
    for (const audience of audiences) {
      if (this.ids.has(audience.id)) continue;
      this.ids.add(audience.id);
      unwritten.push(audience);
    }
    return unwritten;
  }
}

import type { Audience } from '../store/changes';

/** Ids that are remembered; writing an audience again does no harm. */
const MAX_KNOWN = 10_000;

/** The audiences that the owner of a partition has put into its commits, so that each is written about once. */
export class CommittedAudiences {
  private readonly ids = new Set<string>();

  /** Those that are not known to be written yet, each once; they count as written from now on. */
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

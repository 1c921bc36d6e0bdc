import type { LogRecord, NewMessage, TopicSpec } from '../message-log';
import { ForeignTopics, type TopicOwner, UnclaimedTopics } from '../topic-owner';
import { pause } from './pause';
import type { Topics } from './topics';

/** Time for all brokers to learn of a marker that another process has just made. */
const SEEN_TIMEOUT_MS = 2_000;
const POLL_MS = 250;

/** What the mark needs of the log. */
interface MarkedLog {
  readonly topics: Pick<Topics, 'exists' | 'ensure' | 'ranges'>;
  /** The first record that is kept of a topic of one partition. */
  readonly first: (topic: string) => Promise<LogRecord | undefined>;
  readonly append: (topic: string, messages: readonly NewMessage[]) => Promise<unknown>;
}

const markerSpec = (name: string): TopicSpec => ({ name, partitions: 1, retention: 'forever' });

/** @throws Error naming the topic when the record is not one of {@link recordFor}. */
const ownerIn = (topic: string, { value }: LogRecord): string => {
  try {
    const { installation } = JSON.parse(value ?? '') as { readonly installation?: unknown };
    if (typeof installation === 'string') return installation;
  } catch {
    // Reported below, as any other record that names nobody.
  }
  throw new Error(`the first record of topic ${topic} names no installation: it is used otherwise`);
};

const recordFor = (installation: string): NewMessage => ({
  key: 'installation',
  value: JSON.stringify({ installation }),
});

/**
 * The mark of the installation that owns the topics: the first record of a topic from which nothing is ever removed,
 * neither by time nor by compaction. Whoever claims unmarked topics appends a record, and the first one decides, so
 * that of installations that start at once exactly one gets them. See docs/adr/0016.
 */
export class OwnerMark {
  constructor(private readonly log: MarkedLog) {}

  /**
   * Makes sure that the topics are the owner's; marks them if they are nobody's.
   *
   * @throws ForeignTopics, UnclaimedTopics, LogUnavailable.
   */
  async claim(specs: readonly TopicSpec[], owner: TopicOwner): Promise<void> {
    const { marker, installation } = owner;
    const found = (await this.ownerOf(marker)) ?? (await this.mark(specs, owner));
    if (found !== installation) throw new ForeignTopics(marker, found);
  }

  private async ownerOf(marker: string): Promise<string | undefined> {
    if (!(await this.log.topics.exists(marker))) return undefined;
    await this.log.topics.ensure([markerSpec(marker)]);
    const record = await this.log.first(marker);
    return record && ownerIn(marker, record);
  }

  /** @returns the owner, which is another one when that was faster. */
  private async mark(
    specs: readonly TopicSpec[],
    { marker, installation, isKnown }: TopicOwner,
  ): Promise<string> {
    const used = isKnown ? undefined : await this.usedOf(specs);
    if (used !== undefined) {
      const owner = await this.ownerSoon(marker);
      if (owner === undefined) throw new UnclaimedTopics(used, marker);
      return owner;
    }
    await this.log.topics.ensure([markerSpec(marker)]);
    await this.log.append(marker, [recordFor(installation)]);
    const record = await this.log.first(marker);
    if (record === undefined) throw new Error(`topic ${marker} has lost the record of its owner`);
    return ownerIn(marker, record);
  }

  /** Returns a topic that has or had records. */
  private async usedOf(specs: readonly TopicSpec[]): Promise<string | undefined> {
    for (const { name } of specs) {
      if (!(await this.log.topics.exists(name))) continue;
      if ((await this.log.topics.ranges(name)).some(({ end }) => end > 0)) return name;
    }
    return undefined;
  }

  /** Between the two looks, another process may have marked the topics and written to them. */
  private async ownerSoon(marker: string): Promise<string | undefined> {
    for (const deadline = Date.now() + SEEN_TIMEOUT_MS; ; await pause(POLL_MS)) {
      const owner = await this.ownerOf(marker);
      if (owner !== undefined || Date.now() > deadline) return owner;
    }
  }
}

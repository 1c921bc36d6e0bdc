import { type EntityManager, QueryFailedError } from 'typeorm';
import { appendAll } from './append-all';
import type { Append, StoredReply } from './event-store';

/** Limits of one transaction with several appends. Its lock is held meanwhile, and a refused group is repeated one by one. */
const MAX_APPENDS = 64;
const MAX_FACTS = 200;
/** Of the facts' data and states as JSON, in UTF-16 units. */
const MAX_CHARACTERS = 2_000_000;

interface Waiting {
  readonly append: Append<EntityManager>;
  readonly facts: number;
  readonly characters: number;
  readonly resolve: (reply: StoredReply) => void;
  readonly reject: (error: unknown) => void;
}

const sizeOf = ({
  streams,
}: Append<EntityManager>): { readonly facts: number; readonly characters: number } => {
  const facts = streams.flatMap((stream) => stream.facts);
  const characters = facts.reduce(
    (sum, { data, state }) => sum + JSON.stringify(data).length + JSON.stringify(state).length,
    0,
  );
  return { facts: facts.length, characters };
};

/**
 * SQLSTATEs of failures that would meet every append: connection lost, resources, operator, statement timed out, lock not
 * available.
 */
const OF_ALL = /^(08|53|55P03|57)/;

/**
 * Whether the rest of a group may be recorded although this error was thrown: what an append's own functions throw, and what
 * the database refuses. An error of the connection has no SQLSTATE.
 */
const isOfOne = (error: unknown): boolean => {
  if (!(error instanceof QueryFailedError)) return true;
  const { code } = error.driverError as { readonly code?: unknown };
  return typeof code === 'string' && /^[\dA-Z]{5}$/.test(code) && !OF_ALL.test(code);
};

/** Appends that can share a transaction: on different streams, of different commands, with the same views. */
class Group {
  readonly members: Waiting[] = [];
  private readonly taken = new Set<string>();
  private project: Append<EntityManager>['project'] | undefined;
  private facts = 0;
  private characters = 0;

  /** @param most number of appends. */
  constructor(private readonly most: number) {}

  add(waiting: Waiting): void {
    for (const name of this.namesOf(waiting)) this.taken.add(name);
    if (waiting.facts > 0) this.project = waiting.append.project;
    this.facts += waiting.facts;
    this.characters += waiting.characters;
    this.members.push(waiting);
  }

  takes(waiting: Waiting): boolean {
    const { append, facts, characters } = waiting;
    if (append.verify !== undefined || append.isDryRun === true) return false;
    if (this.members.length >= this.most || this.facts + facts > MAX_FACTS) return false;
    if (this.characters + characters > MAX_CHARACTERS) return false;
    if (facts > 0 && this.project !== undefined && this.project !== append.project) return false;
    return this.namesOf(waiting).every((name) => !this.taken.has(name));
  }

  private namesOf({ append: { streams, cause } }: Waiting): readonly string[] {
    return [`command ${cause.commandId}`, ...streams.map(({ stream }) => `stream ${stream}`)];
  }
}

/**
 * Appends in groups: while one transaction is in progress, appends for the next gather. They would wait for its lock
 * anyway; together they take it once, and are written by the same statements.
 */
export class GroupedAppends {
  private waiting: Waiting[] = [];
  private isRunning = false;
  /** Halved when a group has failed as a whole, so that one that takes too long is not repeated for ever. */
  private most = MAX_APPENDS;

  constructor(private readonly db: EntityManager) {}

  /** @throws Repeated, DryRunDone, and whatever the append's own functions throw. */
  append(append: Append<EntityManager>): Promise<StoredReply> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ append, ...sizeOf(append), resolve, reject });
      if (!this.isRunning) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) await this.write(this.next());
    this.isRunning = false;
  }

  /** The first that waits, and others that can go with it, unless it must be alone. */
  private next(): readonly Waiting[] {
    const group = new Group(this.most);
    const others: Waiting[] = [];
    const [first, ...rest] = this.waiting;
    if (first === undefined) return [];
    const isAlone = !group.takes(first);
    group.add(first);
    for (const each of rest)
      if (!isAlone && group.takes(each)) group.add(each);
      else others.push(each);
    this.waiting = others;
    return group.members;
  }

  /**
   * Writes a group. When one of it is refused, each is written by itself.
   *
   * @returns the failure that every append would meet now; undefined when there is none.
   */
  private async write(group: readonly Waiting[]): Promise<unknown> {
    const appends = group.map(({ append }) => append);
    const failure = { isOfOne: false };
    try {
      const replies = await this.db.transaction((db) =>
        appendAll(db, appends).catch((error: unknown) => {
          failure.isOfOne = isOfOne(error);
          throw error;
        }),
      );
      this.most = Math.min(2 * this.most, MAX_APPENDS);
      for (const [index, { resolve }] of group.entries()) resolve(replies[index] as StoredReply);
      return undefined;
    } catch (error) {
      if (group.length > 1 && failure.isOfOne) return this.writeOneByOne(group);
      this.fail(group, error);
      return failure.isOfOne ? undefined : error;
    }
  }

  /** Each may wait seconds for a database that is away: the first that finds it so fails for the others too. */
  private async writeOneByOne(group: readonly Waiting[]): Promise<unknown> {
    for (const [index, each] of group.entries()) {
      const error = await this.write([each]);
      if (error === undefined) continue;
      this.fail(group.slice(index + 1), error);
      return error;
    }
    return undefined;
  }

  private fail(group: readonly Waiting[], error: unknown): void {
    if (group.length > 1) this.most = Math.ceil(group.length / 2);
    for (const { reject } of group) reject(error);
  }
}

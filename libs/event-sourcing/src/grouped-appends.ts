import { type EntityManager, QueryFailedError } from 'typeorm';
import { appendAll, Repeated } from './append-all';
import type { Append, StoredReply } from './event-store';

/** Most appends of one transaction. Its lock is held meanwhile, and a refused group is repeated one by one. */
const MAX_APPENDS = 64;
/** Facts of a group; an append with more is alone. */
const MAX_FACTS = 200;

interface Waiting {
  readonly append: Append<EntityManager>;
  readonly facts: number;
  readonly resolve: (reply: StoredReply) => void;
  readonly reject: (error: unknown) => void;
}

const countFacts = ({ streams }: Append<EntityManager>): number =>
  streams.reduce((sum, { facts }) => sum + facts.length, 0);

/** What one append of a group is refused for: a value, a constraint or a limit of the program (classes 22, 23, 54). */
const isOfOne = (error: unknown): boolean =>
  error instanceof Repeated ||
  (error instanceof QueryFailedError &&
    /^(22|23|54)/.test(String((error.driverError as { readonly code?: unknown }).code)));

/** Appends that can share a transaction: on different streams, of different commands, with the same views. */
class Group {
  readonly members: Waiting[] = [];
  private readonly taken = new Set<string>();
  private project: Append<EntityManager>['project'] | undefined;
  private facts = 0;

  add(waiting: Waiting): void {
    for (const name of this.namesOf(waiting)) this.taken.add(name);
    if (waiting.facts > 0) this.project = waiting.append.project;
    this.facts += waiting.facts;
    this.members.push(waiting);
  }

  takes(waiting: Waiting): boolean {
    const { append, facts } = waiting;
    if (append.verify !== undefined || append.isDryRun === true) return false;
    if (this.members.length === MAX_APPENDS || this.facts + facts > MAX_FACTS) return false;
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

  constructor(private readonly db: EntityManager) {}

  /** @throws Repeated, DryRunDone, and whatever the append's own functions throw. */
  append(append: Append<EntityManager>): Promise<StoredReply> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ append, facts: countFacts(append), resolve, reject });
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
    const group = new Group();
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

  /** When the database refuses one of a group, each is written by itself. */
  private async write(group: readonly Waiting[]): Promise<void> {
    try {
      const appends = group.map(({ append }) => append);
      const replies = await this.db.transaction((db) => appendAll(db, appends));
      for (const [index, { resolve }] of group.entries()) resolve(replies[index] as StoredReply);
    } catch (error) {
      if (group.length > 1 && isOfOne(error)) for (const each of group) await this.write([each]);
      else for (const { reject } of group) reject(error);
    }
  }
}

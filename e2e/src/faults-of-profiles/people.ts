import type { SeededRandom } from '../harness/seeded-random';

/** An event that says something of somebody. */
export interface Said {
  readonly messageId: string;
  readonly anonymousId: string;
  readonly userId?: string;
  readonly timestamp: string;
  readonly traits: { readonly email?: string };
}

const USERS = 60;
/** So few that people of one source share them, and change from one to another. */
const EMAILS = 45;
const SECONDS = 5_000;

const emailOf = (n: number): string => `e${String(n)}@example.com`;

/** The id of the identity that an event is of: the anonymous ids of users belong to nobody else. */
export const recordOf = ({ userId, anonymousId }: Said): string => userId ?? anonymousId;

/** What sources and a file have said of people, and who they are by that: computed without Penstock. */
export class People {
  /** By source, in the order in which it was sent. */
  private readonly said = new Map<string, Said[]>();
  private number = 0;

  /** @param random chooses what is said. */
  constructor(
    private readonly random: SeededRandom,
    /** Users in the file, which has the first of the emails. */
    readonly inFile: number,
  ) {}

  /** The lines of the file. */
  get file(): string {
    const lines = Array.from({ length: this.inFile }, (_, n) => `f${String(n)},${emailOf(n)}`);
    return ['id,email', ...lines, ''].join('\n');
  }

  /** Something of a user or of somebody unknown, in no order of times; a third of it names no email. */
  next(source: string): Said {
    this.number += 1;
    const user = Math.floor(this.random.below(USERS));
    const ms = Date.UTC(2026, 0, 1) + Math.floor(this.random.below(SECONDS)) * 1_000;
    const said: Said = {
      messageId: `m${String(this.number)}`,
      anonymousId: `a${String(user)}`,
      ...(user % 3 > 0 && { userId: `u${String(user)}` }),
      timestamp: new Date(ms).toISOString(),
      traits: {
        ...(this.random.below(3) > 1 && { email: emailOf(Math.floor(this.random.below(EMAILS))) }),
      },
    };
    this.said.set(source, [...(this.said.get(source) ?? []), said]);
    return said;
  }

  /** Everything that a source has said. */
  of(source: string): readonly Said[] {
    return this.said.get(source) ?? [];
  }

  /**
   * The email of each identity, `null` for none, by source and id.
   *
   * @param files the connection of the file, once it was imported.
   */
  identities(files: string): ReadonlyMap<string, string | null> {
    const identities = new Map<string, string | null>();
    for (let n = 0; n < this.inFile; n += 1) identities.set(`${files} f${String(n)}`, emailOf(n));
    for (const [source, said] of this.said) {
      const key = ({ timestamp, messageId }: Said): string => `${timestamp} ${messageId}`;
      const sorted = [...said].sort((one, other) => (key(one) < key(other) ? -1 : 1));
      for (const each of sorted) {
        const id = `${source} ${recordOf(each)}`;
        identities.set(id, each.traits.email ?? identities.get(id) ?? null);
      }
    }
    return identities;
  }

  /** Who is one person: the identities of each, sorted. */
  persons(files: string): readonly (readonly string[])[] {
    const persons = new Map<string, string[]>();
    for (const [id, email] of this.identities(files)) {
      const name = email ?? id;
      persons.set(name, [...(persons.get(name) ?? []), id]);
    }
    return [...persons.values()].map((ids) => ids.sort()).sort();
  }
}

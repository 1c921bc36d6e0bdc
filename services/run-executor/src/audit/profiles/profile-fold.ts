import { type ProfileFact, profileOf, TOPIC } from '@penstock/contracts';
import type { Differences } from '@penstock/platform';
import { IdTable } from './id-table';
import { type NamedIdentity, NamedIdentities } from './named-identities';
import { Numbers } from './numbers';
import { nameOf, type ToldFact } from './told-fact';

/** What is told of the profiles of one workspace. */
interface OfWorkspace {
  readonly id: string;
  /** Among all workspaces. */
  readonly place: number;
  readonly named: NamedIdentities;
  /** Number of the newest fact. */
  newest: number;
  /** Facts after this one are left out. */
  limit: number;
  /** Facts that wait until it is known which of them are left out. */
  held: ToldFact[] | undefined;
  /** Place of the profile that was told of last, plus one. */
  last: number;
}

/** When a profile is told of, by the numbers of the facts; 0: never. */
export interface ToldLife {
  readonly created: number;
  /** Earliest split that names it as one of those that came of it. */
  readonly split: number;
  readonly firstUse: number;
  readonly lastUse: number;
  readonly ended: number;
}

/** How a profile ended, beside the place of the one that has absorbed it, plus one. */
const DELETED = -1;

/** The earlier of two numbers, of which 0 is none. */
const earlier = (one: number, other: number): number => (one === 0 ? other : Math.min(one, other));

const spelled = (digits: string): string =>
  digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * What the facts say of all profiles, in whatever order they come: facts of a workspace have their order by their numbers.
 * Takes about 150 bytes for each profile, 60 for each fact, and 16 for each identity that a fact names.
 */
export class ProfileFold {
  /** Facts, without repetitions. */
  facts = 0;
  private readonly names = new IdTable();
  private readonly checksums = new Numbers();
  private readonly ids = new IdTable();
  private readonly workspaces = new Map<string, OfWorkspace>();
  private readonly owners: OfWorkspace[] = [];
  /** Columns of the profiles, by their places. */
  private readonly owner = new Numbers();
  private readonly before = new Numbers();
  private readonly foreign = new Numbers();
  private readonly created = new Numbers();
  private readonly split = new Numbers();
  private readonly begunAtMs = new Numbers();
  private readonly firstUse = new Numbers();
  private readonly lastUse = new Numbers();
  private readonly lastTold = new Numbers();
  private readonly ended = new Numbers();
  private readonly end = new Numbers();
  private readonly family = new Numbers();

  constructor(private readonly differences: Differences) {}

  get profiles(): number {
    return this.ids.size;
  }

  /** Workspaces of which something is told. */
  get told(): readonly string[] {
    return [...this.workspaces.keys()];
  }

  take(told: ToldFact): void {
    const of = this.workspace(told.workspace);
    if (of.held !== undefined) of.held.push(told);
    else if (told.number <= of.limit && !this.isRepetition(told)) this.takeNew(of, told);
  }

  /** From then on, facts of the workspace wait for {@link limit}. */
  hold(workspace: string): void {
    this.workspace(workspace).held ??= [];
  }

  /**
   * Takes the facts that wait, but for those after a number: these are left out from then on, as they are not of the moment
   * that is compared.
   */
  limit(workspace: string, number: number): void {
    const of = this.workspace(workspace);
    const held = of.held ?? [];
    of.limit = number;
    of.held = undefined;
    for (const told of held) this.take(told);
  }

  /** Takes the facts that wait, unless none does. */
  release(workspace: string): void {
    if (this.workspace(workspace).held !== undefined) this.limit(workspace, Infinity);
  }

  /** The place of a profile; undefined: nothing is told of it. */
  find(id: string): number | undefined {
    return this.ids.find(id);
  }

  idOf(profile: number): string {
    return spelled(this.ids.digitsAt(profile));
  }

  ownerOf(profile: number): string {
    return this.owners[this.owner.at(profile)]?.id ?? '';
  }

  /** The last one of other workspaces that have told of it; undefined: none has. */
  foreignOf(profile: number): string | undefined {
    return this.owners[this.foreign.at(profile) - 1]?.id;
  }

  lifeOf(profile: number): ToldLife {
    return {
      ...{ created: this.created.at(profile), split: this.split.at(profile) },
      ...{ firstUse: this.firstUse.at(profile), lastUse: this.lastUse.at(profile) },
      ended: this.ended.at(profile),
    };
  }

  begunAt(profile: number): number {
    return this.begunAtMs.at(profile);
  }

  isLive(profile: number): boolean {
    return this.ended.at(profile) === 0;
  }

  /** The profile that it is by now, itself where it lives; undefined: it is gone. */
  survivorOf(profile: number): number | undefined {
    const path: number[] = [];
    let at = profile;
    for (; !this.isLive(at); at = this.end.at(at) - 1) {
      const last = path.at(-1);
      // What ends is absorbed by what ends later: anything else would lead in a circle.
      if (last !== undefined && this.ended.at(at) <= this.ended.at(last)) return undefined;
      if (this.end.at(at) <= 0) return undefined;
      path.push(at);
    }
    for (const each of path) this.end.set(each, at + 1);
    return at;
  }

  /** Profiles that have a split or a merge in common, also by others, may have each other's identities. */
  familyOf(profile: number): number {
    let at = profile;
    for (let up = this.family.at(at); up !== 0; up = this.family.at(at)) {
      const above = this.family.at(up - 1);
      if (above !== 0) this.family.set(at, above);
      at = up - 1;
    }
    return at;
  }

  /** Places of the profiles that the workspace has told of first. */
  *of(workspace: string): Generator<number> {
    let next = this.workspaces.get(workspace)?.last ?? 0;
    for (; next !== 0; next = this.before.at(next - 1)) yield next - 1;
  }

  newestOf(workspace: string): number {
    return this.workspaces.get(workspace)?.newest ?? 0;
  }

  /** The identities with which profiles of the workspace were made, by their numbers. */
  namedIn(workspace: string): Iterable<NamedIdentity> {
    return this.workspaces.get(workspace)?.named.sorted() ?? [];
  }

  isTold(workspace: string, number: number): boolean {
    return this.names.find(nameOf(workspace, number)) !== undefined;
  }

  report(profile: number | string, number: number, what: string): void {
    const id = typeof profile === 'string' ? profile : this.idOf(profile);
    this.differences.report(`${TOPIC.profiles} ${id} number ${String(number)}`, what);
  }

  private takeNew(of: OfWorkspace, told: ToldFact): void {
    this.facts += 1;
    of.newest = Math.max(of.newest, told.number);
    this.inOrder(told);
    this.apply(told.fact, told);
  }

  private isRepetition(told: ToldFact): boolean {
    const known = this.names.find(told.name);
    if (known === undefined) {
      this.checksums.set(this.names.add(told.name), told.checksum);
      return false;
    }
    if (this.checksums.at(known) !== told.checksum)
      this.report(profileOf(told.fact), told.number, 'is there again, with different content');
    return true;
  }

  /** Of what is told for the first time: facts of each profile are told in their order. */
  private inOrder({ fact, number, workspace }: ToldFact): void {
    const key = this.profile(profileOf(fact), workspace);
    if (this.lastTold.at(key) > number)
      this.report(key, number, 'comes after a fact that follows it');
    this.lastTold.set(key, Math.max(number, this.lastTold.at(key)));
  }

  private apply(fact: ProfileFact, { number, timeMs, workspace }: ToldFact): void {
    const place = (id: string): number => this.profile(id, workspace);
    switch (fact.type) {
      case 'ProfileCreated':
        this.create(place(fact.id), number, timeMs);
        for (const identity of fact.identities)
          this.workspace(workspace).named.add({
            ...{ identity: Number(identity), profile: place(fact.id) },
          });
        return;
      case 'ProfileSplit': {
        const kept = place(fact.kept);
        this.use(kept, number);
        for (const id of fact.created) this.splitOff(place(id), kept, number, timeMs);
        return;
      }
      case 'ProfilesMerged': {
        const survivor = place(fact.survivor);
        this.use(survivor, number);
        for (const id of fact.absorbed) {
          this.join(place(id), survivor);
          this.endWith(place(id), number, survivor + 1);
        }
        return;
      }
      case 'ProfileDeleted':
        this.endWith(place(fact.id), number, DELETED);
    }
  }

  private create(profile: number, number: number, timeMs: number): void {
    const made = this.created.at(profile);
    if (made !== 0) this.report(profile, number, `makes it again, after number ${String(made)}`);
    this.created.set(profile, earlier(made, number));
    this.begin(profile, timeMs);
  }

  private splitOff(profile: number, kept: number, number: number, timeMs: number): void {
    this.split.set(profile, earlier(this.split.at(profile), number));
    this.lastUse.set(profile, Math.max(this.lastUse.at(profile), number));
    this.join(profile, kept);
    this.begin(profile, timeMs);
  }

  private begin(profile: number, timeMs: number): void {
    this.begunAtMs.set(profile, earlier(this.begunAtMs.at(profile), timeMs));
  }

  private use(profile: number, number: number): void {
    this.firstUse.set(profile, earlier(this.firstUse.at(profile), number));
    this.lastUse.set(profile, Math.max(this.lastUse.at(profile), number));
  }

  private endWith(profile: number, number: number, end: number): void {
    this.use(profile, number);
    const ended = this.ended.at(profile);
    if (ended !== 0) {
      this.report(profile, number, `ends it again, after number ${String(ended)}`);
      return;
    }
    this.ended.set(profile, number);
    this.end.set(profile, end);
  }

  private join(one: number, other: number): void {
    const [family, into] = [this.familyOf(one), this.familyOf(other)];
    if (family !== into) this.family.set(family, into + 1);
  }

  private workspace(id: string): OfWorkspace {
    const found = this.workspaces.get(id);
    if (found !== undefined) return found;
    const made: OfWorkspace = {
      ...{ id, place: this.owners.length, named: new NamedIdentities() },
      ...{ newest: 0, limit: Infinity, held: undefined, last: 0 },
    };
    this.workspaces.set(id, made);
    this.owners.push(made);
    return made;
  }

  private profile(id: string, workspace: string): number {
    const found = this.ids.find(id);
    const of = this.workspace(workspace);
    if (found !== undefined) {
      if (this.owner.at(found) !== of.place) this.foreign.set(found, of.place + 1);
      return found;
    }
    const place = this.ids.add(id);
    this.owner.set(place, of.place);
    this.before.set(place, of.last);
    of.last = place + 1;
    return place;
  }
}

import type { WorkspaceId } from '@penstock/contracts';
import { type Differences, PositionSet } from '@penstock/platform';
import type { ProfileAlias, ResolvedIdentity, ResolvedState } from '@penstock/warehouses';
import { publishedFacts } from '../../resolutions/publish-profile-facts';
import { checkLives } from './check-lives';
import type { NamedIdentity } from './named-identities';
import { Numbers } from './numbers';
import type { ProfileFold } from './profile-fold';
import type { ProfilesTopic } from './profiles-topic';
import { toldFact } from './told-fact';

/** What is compared with the facts. */
export interface Compared {
  readonly workspace: WorkspaceId;
  readonly exists: (workspace: string) => boolean;
  /** Whether everything is to be resolved anew: what a repair has made is empty until then. */
  readonly isDue: boolean;
}

/** What has been found of profiles, by their places: of all warehouses, as each profile is in one. */
export class FoundProfiles {
  readonly seen = new PositionSet();
  /** Of identities that were changed since they were resolved. */
  readonly unresolved = new PositionSet();
  readonly identities = new Numbers();
}

/** Compares the profiles of a warehouse, as they stand at one moment, with what the facts up to then say. */
export class WarehouseComparison {
  private madeAtMs = 0;
  private readonly missing = new Set<number>();

  constructor(
    private readonly fold: ProfileFold,
    private readonly topic: Pick<ProfilesTopic, 'readOn'>,
    private readonly found: FoundProfiles,
    private readonly differences: Differences,
    private readonly compared: Compared,
  ) {}

  /** @param onChecked called when the facts were compared with each other. */
  async compare(state: ResolvedState, onChecked: () => void): Promise<void> {
    await this.takeFacts(state);
    const { fold, compared } = this;
    checkLives(fold, compared.workspace, { isWhole: true, exists: compared.exists });
    onChecked();
    await this.markUnresolved(state);
    await this.compareIdentities(state);
    await this.compareProfiles(state);
    await this.compareAliases(state);
    this.reportMissing();
    await this.compareHistory(state);
  }

  /** Facts that were recorded before this moment were published before the topic is read, or are still in the warehouse. */
  private async takeFacts(state: ResolvedState): Promise<void> {
    const { fold, compared } = this;
    const { workspace } = compared;
    const { madeAtMs, newest } = await state.head();
    this.madeAtMs = madeAtMs;
    await this.topic.readOn();
    // Without any fact in it, what was published before this moment is that which was read before it.
    fold.limit(workspace, newest ?? fold.newestOf(workspace));
    for await (const page of state.facts())
      for (const recorded of page)
        for (const published of publishedFacts(workspace, recorded)) {
          const told = toldFact(published);
          if (told === undefined)
            this.report('_outbox', recorded.number, 'is not a fact of a profile');
          else fold.take(told);
        }
  }

  private async markUnresolved(state: ResolvedState): Promise<void> {
    for await (const page of state.unresolved())
      for (const { profile } of page) {
        const place = this.placeOf(profile);
        if (place !== undefined) this.found.unresolved.add(place);
      }
  }

  private async compareIdentities(state: ResolvedState): Promise<void> {
    const named = this.fold.namedIn(this.compared.workspace)[Symbol.iterator]();
    let next = named.next();
    for await (const page of state.identities())
      for (const identity of page) {
        const place = this.countIdentity(identity);
        while (next.done !== true && next.value.identity < identity.number) next = named.next();
        for (; next.done !== true && next.value.identity === identity.number; next = named.next())
          this.compareNamed(identity, place, next.value);
      }
  }

  /** @returns the place of its profile */
  private countIdentity({ number, profile }: ResolvedIdentity): number | undefined {
    if (profile === null) return undefined;
    const place = this.placeOf(profile);
    if (place !== undefined) this.found.identities.set(place, this.found.identities.at(place) + 1);
    if (place === undefined || !this.fold.isLive(place))
      this.report('_identities', number, `is in ${profile}, which does not live by the facts`);
    return place;
  }

  private compareNamed(
    { number, profile }: ResolvedIdentity,
    place: number | undefined,
    named: NamedIdentity,
  ): void {
    const { fold } = this;
    // That its profile is none that lives is told already.
    if (place !== undefined && !fold.isLive(place)) return;
    if (place !== undefined && fold.familyOf(place) === fold.familyOf(named.profile)) return;
    const by = fold.survivorOf(named.profile);
    if (by === undefined) return;
    const is = profile === null ? 'is in no profile' : `is in ${profile}`;
    this.report('_identities', number, `${is}, not in ${fold.idOf(by)}`);
  }

  private async compareProfiles(state: ResolvedState): Promise<void> {
    const { fold, found } = this;
    for await (const page of state.profiles())
      for (const { profile, identities } of page) {
        const place = this.placeOf(profile);
        if (place === undefined) this.report('_profiles', profile, 'is in no fact');
        else if (!fold.isLive(place)) {
          const { ended } = fold.lifeOf(place);
          this.report('_profiles', profile, `should not be there after number ${String(ended)}`);
        } else {
          found.seen.add(place);
          this.compareCount(place, identities);
        }
      }
  }

  private compareCount(place: number, counted: number): void {
    const { fold, found, compared } = this;
    const there = found.identities.at(place);
    if (there === counted || found.unresolved.has(place) || compared.isDue) return;
    const what = `has ${String(there)} identities, not ${String(counted)}`;
    this.report('_profiles', fold.idOf(place), what);
  }

  private async compareAliases(state: ResolvedState): Promise<void> {
    for await (const page of state.aliases()) for (const each of page) this.compareAlias(each);
  }

  private compareAlias({ alias, profile }: ProfileAlias): void {
    const { fold, found } = this;
    const place = this.placeOf(alias);
    const survivor = place === undefined ? undefined : fold.survivorOf(place);
    if (place === undefined || survivor === undefined || survivor === place) {
      this.report('_profile_aliases', alias, 'should not be there');
      return;
    }
    found.seen.add(place);
    if (fold.idOf(survivor) !== profile)
      this.report('_profile_aliases', alias, `names ${profile}, not ${fold.idOf(survivor)}`);
  }

  private reportMissing(): void {
    const { fold, found, compared } = this;
    for (const place of fold.of(compared.workspace)) {
      if (found.seen.has(place) || this.isExcused(place)) continue;
      const survivor = fold.survivorOf(place);
      if (survivor === place) this.report('_profiles', fold.idOf(place), 'is missing');
      else if (survivor !== undefined && fold.ownerOf(survivor) === compared.workspace)
        this.report('_profile_aliases', fold.idOf(place), 'is missing');
    }
  }

  /** A warehouse that was made anew has nothing of before; what was lost otherwise is made by the next resolution. */
  private isExcused(place: number): boolean {
    const { fold, found, compared, madeAtMs } = this;
    const { created, split } = fold.lifeOf(place);
    if (created === 0 && split === 0) return true;
    if (fold.begunAt(place) < madeAtMs) return true;
    return fold.isLive(place) && (compared.isDue || found.unresolved.has(place));
  }

  private async compareHistory(state: ResolvedState): Promise<void> {
    const { fold, compared } = this;
    for await (const page of state.history())
      for (const { profile, number } of page) {
        if (this.missing.has(number) || fold.isTold(compared.workspace, number)) continue;
        const place = fold.find(profile);
        if (place !== undefined && fold.isTold(fold.ownerOf(place), number)) continue;
        this.missing.add(number);
        fold.report(
          profile,
          number,
          `is missing, and in the history of warehouse ${compared.workspace}`,
        );
      }
  }

  /** The place of a profile of the workspace, or of a former one whose warehouse this was. */
  private placeOf(profile: string): number | undefined {
    const { fold, compared } = this;
    const place = fold.find(profile);
    if (place === undefined) return undefined;
    const owner = fold.ownerOf(place);
    return owner === compared.workspace || !compared.exists(owner) ? place : undefined;
  }

  private report(table: string, row: number | string, what: string): void {
    const { workspace } = this.compared;
    this.differences.report(`warehouse ${workspace} ${table} ${String(row)}`, what);
  }
}

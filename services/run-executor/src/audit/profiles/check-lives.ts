import { FACTS_AT_ONCE } from '../../resolutions/publish-profile-facts';
import type { ProfileFold, ToldLife } from './profile-fold';

/** What is known besides the facts. */
export interface ToldAbout {
  /** Whether all facts are known that the newest one follows, also those that are not published. */
  readonly isWhole: boolean;
  /** Whether a workspace is there: the warehouse of one that is deleted may become that of another one. */
  readonly exists: (workspace: string) => boolean;
}

/** Of an order that cannot be: the number of the fact, and what is wrong with it. */
type Breach = readonly [number: number, what: string];

const breachesOf = (life: ToldLife): readonly Breach[] => {
  const { created, split, firstUse, lastUse, ended } = life;
  const begun = created === 0 ? split : created;
  const first =
    created !== 0 && split !== 0 && (firstUse === 0 || split < firstUse) ? split : firstUse;
  return [
    ...(begun !== 0 && first !== 0 && first < begun
      ? [[first, `comes before number ${String(begun)}, which makes it`] as const]
      : []),
    ...(ended !== 0 && Math.max(lastUse, begun) > ended
      ? [[Math.max(lastUse, begun), `comes after number ${String(ended)}, which ends it`] as const]
      : []),
  ];
};

/** Facts that are appended together may be there in part, until they are appended again. */
const mayBeIncomplete = (fold: ProfileFold, workspace: string, { firstUse }: ToldLife): boolean =>
  firstUse > fold.newestOf(workspace) - FACTS_AT_ONCE;

const checkLife = (fold: ProfileFold, profile: number, about: ToldAbout): void => {
  const life = fold.lifeOf(profile);
  const owner = fold.ownerOf(profile);
  const isUnmade = life.created === 0 && life.split === 0;
  if (isUnmade && (about.isWhole || !mayBeIncomplete(fold, owner, life)))
    fold.report(profile, life.firstUse, 'is of a profile that no fact makes');
  for (const breach of breachesOf(life)) fold.report(profile, ...breach);
  const foreign = fold.foreignOf(profile);
  if (foreign !== undefined && about.exists(owner) && about.exists(foreign))
    fold.report(profile, life.lastUse, `is told of by the workspaces ${owner} and ${foreign}`);
};

/** Families of profiles of which some live. */
const livingFamilies = (fold: ProfileFold, workspace: string): ReadonlySet<number> => {
  const living = new Set<number>();
  for (const profile of fold.of(workspace))
    if (fold.isLive(profile)) living.add(fold.familyOf(profile));
  return living;
};

/** An identity is in one profile, or in others that came of it; numbers of identities are never given again. */
const checkIdentities = (fold: ProfileFold, workspace: string): void => {
  const living = livingFamilies(fold, workspace);
  let before: { readonly identity: number; readonly profile: number } | undefined;
  for (const named of fold.namedIn(workspace)) {
    const [one, other] = [before?.profile, named.profile];
    const isSame = before?.identity === named.identity && one !== undefined && one !== other;
    before = named;
    if (!isSame) continue;
    const families = [fold.familyOf(one), fold.familyOf(other)];
    if (families[0] === families[1] || !families.every((each) => living.has(each))) continue;
    const { created } = fold.lifeOf(other);
    const what = `has identity ${String(named.identity)}, which is also in ${fold.idOf(one)}`;
    fold.report(other, created, what);
  }
};

/** Reports facts of a workspace that contradict each other. */
export const checkLives = (fold: ProfileFold, workspace: string, about: ToldAbout): void => {
  for (const profile of fold.of(workspace)) checkLife(fold, profile, about);
  checkIdentities(fold, workspace);
};

import { compareDateTimes } from '@penstock/schema';
import type { Answer, ApplicationUser, UserPage } from '../connector/user-source';
import { TOO_LONG } from './read-json';

/** A user at its place in the order of the application. */
export interface PlacedUser {
  /** The time by which the application orders, ascending: a canonical datetime, or `''`. */
  readonly order: string;
  readonly user: ApplicationUser;
}

/** Users from an offset on, in the order of the application. */
export interface OffsetPage {
  readonly placed: readonly PlacedUser[];
  /** How many there are, on all pages. */
  readonly total: number;
}

/** How the pages of an application are read. */
export interface OffsetReading {
  /** Users of a page, 2 or more. */
  readonly pageSize: number;
  readonly fetch: (offset: number, size: number) => Promise<Answer<OffsetPage>>;
  /** Whether a user is wanted. */
  readonly keep: (user: ApplicationUser) => boolean;
}

/** Where a page begins: with the last user of the one before it, so that a gap shows. */
interface Place {
  readonly offset: number;
  readonly size: number;
  readonly last: { readonly order: string; readonly id: string } | undefined;
}

const CURSOR = /^(\d{1,9})~(\d{1,4})~([^~]{0,40})~(.{0,500})$/su;
const NO_PAGE: Answer<never> = { kind: 'rejected', reason: 'no such page' };

const placeAt = (cursor: string, pageSize: number): Place | undefined => {
  if (cursor === '') return { offset: 0, size: pageSize, last: undefined };
  const [, offset, size, order = '', id = ''] = CURSOR.exec(cursor) ?? [];
  const isPlace = offset !== undefined && Number(size) >= 2 && Number(size) <= pageSize;
  return isPlace ? { offset: Number(offset), size: Number(size), last: { order, id } } : undefined;
};

const textOf = ({ offset, size, last }: Place): string =>
  [offset, size, last?.order ?? '', last?.id ?? ''].join('~');

/**
 * What stands behind the last user that was read, or repeats some before; undefined: the page begins behind that
 * user, with a gap perhaps.
 */
const restOf = (
  placed: readonly PlacedUser[],
  { offset, last }: Place,
): readonly PlacedUser[] | undefined => {
  const [first, ...others] = placed;
  if (last === undefined || first === undefined) return offset === 0 ? placed : undefined;
  if (first.user.id === last.id && first.order === last.order) return others;
  return offset === 0 || compareDateTimes(first.order, last.order) < 0 ? placed : undefined;
};

/** What a page of the application comes to: some users, or the place where the search goes on. */
const stepFrom = (
  place: Place,
  { placed, total }: OffsetPage,
  { keep }: OffsetReading,
): UserPage | Place | undefined => {
  const rest = restOf(placed, place);
  if (rest === undefined) return undefined;
  const users = rest.map(({ user }) => user).filter(keep);
  const end = place.offset + placed.length;
  const final = placed.at(-1);
  if (final === undefined || end >= total) return { users, next: null };
  const next: Place = {
    offset: end - 1,
    size: place.size,
    last: { order: final.order, id: final.user.id },
  };
  return users.length > 0 ? { users, next: textOf(next) } : next;
};

/**
 * A page of users of an application that pages by offset. When a user goes, or moves to the end because it was
 * changed, those behind it move up, and the next page would begin behind some that nobody has read. So each page
 * begins with the last user of the one before; where it does not, reading goes back, in growing steps, to a page that
 * begins before that user, and repeats some.
 *
 * @param cursor see `UserQuery`.
 */
export const readOverlapping = async (
  cursor: string,
  reading: OffsetReading,
): Promise<Answer<UserPage>> => {
  let place = placeAt(cursor, reading.pageSize);
  if (place === undefined) return NO_PAGE;
  for (let back = place.size - 1; ;) {
    const answer = await reading.fetch(place.offset, place.size);
    if (answer === TOO_LONG && place.size > 2) {
      place = { ...place, size: Math.max(2, Math.floor(place.size / 2)) };
      continue;
    }
    if (answer.kind !== 'answered') return answer;
    const step = stepFrom(place, answer.value, reading);
    if (step !== undefined && 'users' in step) return { kind: 'answered', value: step };
    if (step === undefined) {
      place = { ...place, offset: Math.max(0, place.offset - back) };
      back *= 2;
    } else if (step.offset > place.offset) place = step;
    else return { kind: 'unavailable', reason: 'the pages do not go on' };
  }
};

import { type Json, type JsonObject, type Value } from '@penstock/schema';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { FoundUser, UserLookUp } from '../connector/user-destination';
import type { Answer } from '../connector/user-source';
import { listOf, objectOf, stringOf } from '../users/documented';
import { getFrom } from '../users/reading-vendor';
import { klaviyoAccess } from './klaviyo-access';
import { klaviyoValue } from './klaviyo-fields';

const PROPERTIES = ['id', 'email', 'phone_number', 'external_id'];

/** No two profiles share one of these, so that one page of 100 holds all that are found. */
const MAX_VALUES = 50;

const pathOf = (property: string, values: readonly Value[]): string => {
  const query = new URLSearchParams({
    filter: `any(${property},${JSON.stringify(values)})`,
    'page[size]': '100',
    ...(property !== 'id' && { 'fields[profile]': property }),
  });
  return `/api/profiles?${query.toString()}`;
};

/** The case of an e-mail address does not matter to the vendor. */
const comparable = (property: string, value: unknown): unknown =>
  property === 'email' && typeof value === 'string' ? value.toLowerCase() : value;

const foundIn = (json: Json, property: string, values: readonly Value[]): readonly FoundUser[] =>
  listOf(objectOf(json).get('data')).flatMap((each): FoundUser[] => {
    const profile: JsonObject = objectOf(each);
    const has = comparable(property, klaviyoValue(profile, property));
    const value = values.find((wanted) => comparable(property, wanted) === has);
    return value === undefined ? [] : [{ id: stringOf(profile.get('id')), value }];
  });

/**
 * Finds profiles by what tells them from others.
 *
 * Source: Klaviyo Developers, "Get Profiles", filter `any`, revision 2026-07-15.
 */
export const klaviyoLookUp: UserLookUp = {
  maxValues: MAX_VALUES,
  properties: () => Promise.resolve({ kind: 'answered', value: PROPERTIES }),
  find: (
    property: string,
    values: readonly Value[],
    settings: Settings,
    context: CallContext,
  ): Promise<Answer<readonly FoundUser[]>> =>
    getFrom(klaviyoAccess(settings), pathOf(property, values), context, (json) =>
      foundIn(json, property, values),
    ),
};

import { type Json, type JsonObject, writeJson } from '@penstock/schema';
import { readOptionalObject, readOptionalText } from '@penstock/settings';
import type { OutgoingUser, UserBatch, UserDestination } from '../connector/user-destination';
import type { Draft } from '../requests/draft';
import { jsonMembers } from '../requests/json-members';
import { sendUsers } from '../users/send-users';
import { singleOutcome } from '../users/single-outcome';
import { fieldsToWrite } from '../users/user-fields';
import { withoutNulls, writtenJson } from '../users/written-json';
import { klaviyoAccess } from './klaviyo-access';
import { KLAVIYO_FIELDS } from './klaviyo-fields';
import { klaviyoLookUp } from './klaviyo-look-up';
import { KLAVIYO_PROFILE_LIMITS } from './klaviyo-users';

const PROFILE = fieldsToWrite(KLAVIYO_FIELDS);

const IDENTIFIERS = ['email', 'phone_number', 'external_id'];
const NO_IDENTIFIER = `one of ${IDENTIFIERS.join(', ')} is needed`;

const bodyOf = (id: string | null, attributes: JsonObject): string => {
  const data: Json = jsonMembers({ type: 'profile', id: id ?? undefined, attributes });
  return writeJson(jsonMembers({ data }));
};

/** The request for a profile; undefined: it has nothing by which it could be told from others. */
const draftOf = (
  { schema }: UserBatch,
  user: OutgoingUser,
  { base, headers }: Pick<ReturnType<typeof klaviyoAccess>, 'base' | 'headers'>,
): Draft | undefined => {
  const { id } = user;
  const attributes = writtenJson(schema, user);
  const url = `${base}/api/profiles`;
  if (id !== null)
    return {
      method: 'PATCH',
      url: `${url}/${encodeURIComponent(id)}`,
      headers,
      body: bodyOf(id, attributes),
    };
  const given = withoutNulls(attributes);
  const isIdentified = IDENTIFIERS.some((name) => (given.get(name) ?? '') !== '');
  return isIdentified ? { method: 'POST', url, headers, body: bodyOf(null, given) } : undefined;
};

const outcome = singleOutcome((answer) => {
  const data = readOptionalObject(answer, 'data');
  return data && readOptionalText(data, 'id');
});

/**
 * Creates and changes profiles, one a request. A new one whose identifier another has is rejected by the vendor with
 * 409. Properties of the account that are not given stay.
 *
 * Source: Klaviyo Developers, "Create Profile" and "Update Profile", revision 2026-07-15.
 */
export const klaviyoUserDestination: UserDestination = {
  schema: () => Promise.resolve({ kind: 'answered', value: PROFILE }),
  limits: () => ({ ...KLAVIYO_PROFILE_LIMITS, maxUsers: 1 }),
  findsRepetitions: false,
  lookUp: klaviyoLookUp,
  upsert: (batch, settings, context) => {
    const access = klaviyoAccess(settings);
    const [user] = batch.users;
    if (user === undefined) throw new TypeError('there is no user to write');
    const draft = draftOf(batch, user, access);
    if (draft === undefined)
      return Promise.resolve({
        kind: 'answered',
        outcomes: [{ kind: 'rejected', reason: NO_IDENTIFIER }],
      });
    const { secrets, errorText } = access;
    return sendUsers({ draft, users: [user], secrets, errorText, read: outcome }, context);
  },
};

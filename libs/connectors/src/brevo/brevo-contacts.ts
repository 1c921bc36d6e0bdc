import { type Json, type JsonObject, JsonNumber, writeJson } from '@penstock/schema';
import type { OutgoingUser, UserBatch, UserDestination } from '../connector/user-destination';
import type { Draft } from '../requests/draft';
import { jsonMembers } from '../requests/json-members';
import { sendUsers } from '../users/send-users';
import { singleOutcome } from '../users/single-outcome';
import { fieldsToWrite } from '../users/user-fields';
import { withoutNulls, writtenJson } from '../users/written-json';
import { brevoAccess } from './brevo-access';
import { brevoFields, isStandard } from './brevo-fields';
import { brevoLookUp } from './brevo-look-up';
import { BREVO_CONTACT_LIMITS, brevoAttributesNow } from './brevo-users';

const IDENTIFIERS = ['email', 'ext_id', 'SMS'];
const NO_IDENTIFIER = `one of ${IDENTIFIERS.join(', ')} is needed`;

/** An empty text takes the value of an attribute away. */
const attributesIn = (json: JsonObject): ReadonlyMap<string, Json> =>
  new Map(
    [...json].filter(([name]) => !isStandard(name)).map(([name, value]) => [name, value ?? '']),
  );

const standardIn = (json: JsonObject): JsonObject =>
  new Map([...json].filter(([name]) => isStandard(name)));

/** The e-mail address of a contact that exists is changed as an attribute. */
const changeOf = (json: JsonObject): string => {
  const { email, ...standard } = Object.fromEntries(standardIn(withoutNulls(json)));
  const attributes = new Map([
    ...attributesIn(json),
    ...(email === undefined ? [] : ([['EMAIL', email]] as const)),
  ]);
  return writeJson(jsonMembers({ ...standard, attributes }));
};

/** The request for a contact; undefined: it has nothing by which it could be told from others. */
const draftOf = (
  { schema }: UserBatch,
  user: OutgoingUser,
  { base, headers }: Pick<ReturnType<typeof brevoAccess>, 'base' | 'headers'>,
): Draft | undefined => {
  const json = writtenJson(schema, user);
  const url = `${base}/contacts`;
  if (user.id !== null) {
    const place = `${encodeURIComponent(user.id)}?identifierType=contact_id`;
    return { method: 'PUT', url: `${url}/${place}`, headers, body: changeOf(json) };
  }
  const given = withoutNulls(json);
  if (!IDENTIFIERS.some((name) => (given.get(name) ?? '') !== '')) return undefined;
  const body = new Map([...standardIn(given), ['attributes', attributesIn(given)]] as const);
  return { method: 'POST', url, headers, body: writeJson(body) };
};

const outcome = singleOutcome((answer) => {
  const id = answer.get('id');
  return id instanceof JsonNumber ? id.text : undefined;
});

/**
 * Creates and changes contacts, one a request. A new one whose identifier another has is rejected by the vendor with
 * 400. Lists are only added.
 *
 * Source: Brevo Developers, "Create a contact" and "Update a contact", version 3, read in November 2026.
 */
export const brevoUserDestination: UserDestination = {
  schema: async (settings, context) => {
    const attributes = await brevoAttributesNow(settings, context);
    return attributes.kind === 'answered'
      ? { kind: 'answered', value: fieldsToWrite(brevoFields(attributes.value)) }
      : attributes;
  },
  limits: () => ({ ...BREVO_CONTACT_LIMITS, maxUsers: 1 }),
  findsRepetitions: false,
  lookUp: brevoLookUp,
  upsert: (batch, settings, context) => {
    const access = brevoAccess(settings);
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

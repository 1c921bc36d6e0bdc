import { createHash } from 'node:crypto';
import { isJsonArray, type Json, type JsonObject, type Schema, writeJson } from '@penstock/schema';
import { readObjects, readOptionalText } from '@penstock/settings';
import { excerpt } from '../answers/excerpt';
import { readAnswer } from '../answers/read-answer';
import type { OutgoingUser, UserOutcome } from '../connector/user-destination';
import { jsonMembers } from '../requests/json-members';
import { writtenJson } from '../users/written-json';
import { isStandard } from './mailchimp-fields';

/**
 * Members of one request. The vendor takes 500, and answers with all that it knows of each, some kilobytes: more than is
 * read of an answer.
 */
export const MAX_MEMBERS = 150;
/** UTF-8 bytes of the members of one request. */
const MAX_BYTES = 4_000_000;

/** A member ready to be written. */
export interface MemberToWrite {
  readonly user: OutgoingUser;
  /** In lower case; `''`: it is not written. */
  readonly email: string;
  /** JSON text. */
  readonly text: string;
}

/** Empty texts take values of merge fields away, and of their parts. */
const withoutNull = (json: Json): Json => {
  if (json === null) return '';
  if (!(json instanceof Map)) return json;
  return new Map([...(json as JsonObject)].map(([name, each]) => [name, withoutNull(each)]));
};

/** A member as it is written: merge fields are a member of their own. */
export const memberToWrite = (schema: Schema, user: OutgoingUser): MemberToWrite => {
  const json = [...writtenJson(schema, user)];
  const fields = json.filter(([name]) => !isStandard(name));
  const member = jsonMembers({
    ...Object.fromEntries(json.filter(([name, value]) => isStandard(name) && value !== null)),
    merge_fields:
      fields.length === 0
        ? undefined
        : new Map(fields.map(([name, value]) => [name, withoutNull(value)])),
  });
  const email = readOptionalText(member, 'email_address') ?? '';
  return { user, email: email.toLowerCase(), text: writeJson(member) };
};

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/**
 * Whether a request for many finds the member: it goes by e-mail address, which must be that of the member, and not
 * its new one.
 */
const goesByEmail = ({ user: { id }, email }: MemberToWrite): boolean =>
  email !== '' && (id === null || id === md5(email));

/** As many as one request carries, from the front; none twice. The first one always goes. */
export const takeMembers = (members: Iterable<MemberToWrite>): readonly MemberToWrite[] => {
  const taken = new Map<string, MemberToWrite>();
  let bytes = 0;
  for (const member of members) {
    bytes += Buffer.byteLength(member.text) + 1;
    const isFull = taken.size === MAX_MEMBERS || (taken.size > 0 && bytes > MAX_BYTES);
    if (isFull || !goesByEmail(member) || taken.has(member.email)) break;
    taken.set(member.email, member);
  }
  return [...taken.values()];
};

/** Who is there already is changed. */
export const batchBody = (members: readonly MemberToWrite[]): string =>
  `{"members":[${members.map(({ text }) => text).join(',')}],"update_existing":true}`;

const byEmail = (answer: JsonObject, name: string): ReadonlyMap<string, JsonObject> =>
  new Map(
    readObjects(answer, name).map((each) => [
      (readOptionalText(each, 'email_address') ?? '').toLowerCase(),
      each,
    ]),
  );

/**
 * How the members of a request fared: the answer lists those that were written, and those that were not with the
 * reason.
 *
 * @returns undefined when the answer does not tell of every one.
 */
export const batchOutcomes = (
  body: string,
  members: readonly MemberToWrite[],
  secrets: readonly string[],
): readonly UserOutcome[] | undefined => {
  const answer = readAnswer(body);
  if (!isJsonArray(answer.get('errors'))) return undefined;
  const errors = byEmail(answer, 'errors');
  const written = new Map([
    ...byEmail(answer, 'updated_members'),
    ...byEmail(answer, 'new_members'),
  ]);
  const outcomes = members.flatMap(({ email }): UserOutcome[] => {
    const error = errors.get(email);
    if (error !== undefined)
      return [{ kind: 'rejected', reason: excerpt(reasonIn(error), secrets) }];
    const member = written.get(email);
    const id = member && readOptionalText(member, 'id');
    return member === undefined ? [] : [{ kind: 'written', ...(id !== undefined && { id }) }];
  });
  return outcomes.length === members.length ? outcomes : undefined;
};

const reasonIn = (error: JsonObject): string => {
  const [field, message] = ['field', 'field_message'].map((name) => readOptionalText(error, name));
  const reason = readOptionalText(error, 'error') ?? 'the vendor gives no reason';
  return [reason, [field, message].filter(Boolean).join(': ')].filter(Boolean).join(' ');
};

import { canonicalDateTime, type Json, type JsonObject, type Schema } from '@penstock/schema';
import { readOptionalText } from '@penstock/settings';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { Answer, UserQuery, UserSource } from '../connector/user-source';
import { isSince, secondBefore } from '../users/changed-since';
import { integerOf, listOf, objectOf } from '../users/documented';

import { type OffsetPage, type PlacedUser, readOverlapping } from '../users/overlapping-pages';
import { getFrom } from '../users/reading-vendor';
import { recently } from '../users/recently';
import { fieldsToRead, type UserField } from '../users/user-fields';
import { userValues } from '../users/user-values';
import { isStandard, mailchimpFields, mailchimpValue } from './mailchimp-fields';
import { mailchimpTarget } from './mailchimp-target';

/** 80 % of the ten requests at once that the vendor accepts for a key; it states no rate. */
export const MAILCHIMP_LIMITS = { concurrency: 8 };

/** Members of a page: a thousand are allowed, and would often be more than the way out reads of an answer. */
const PAGE_SIZE = 500;
/** An audience has 80 merge fields at most. */
const MERGE_FIELDS = '/merge-fields?count=1000&offset=0';

/** The properties that the members of the audience have now. */
export const mailchimpFieldsNow = recently(
  (settings: Settings, context: CallContext): Promise<Answer<readonly UserField[]>> =>
    getFrom(mailchimpTarget(settings), MERGE_FIELDS, context, (json) =>
      mailchimpFields(listOf(objectOf(json).get('merge_fields')).map(objectOf)),
    ),
);

/** What is asked for of each member, so that answers stay small. */
const membersOf = ({ properties }: Schema): string => {
  const names = properties.map(({ name }) => (isStandard(name) ? name : 'merge_fields'));
  return [...new Set(['id', 'last_changed', ...names])].map((name) => `members.${name}`).join(',');
};

const pathOf = ({ schema, changedSince }: UserQuery, offset: number, size: number): string => {
  const query = new URLSearchParams({
    fields: `total_items,${membersOf(schema)}`,
    count: String(size),
    offset: String(offset),
    sort_field: 'last_changed',
    sort_dir: 'ASC',
    ...(changedSince !== null && { since_last_changed: secondBefore(changedSince) }),
  });
  return `/members?${query.toString()}`;
};

const placedUser = (member: JsonObject, { schema }: UserQuery): PlacedUser => {
  const updatedAt = canonicalDateTime(readOptionalText(member, 'last_changed') ?? '') ?? null;
  return {
    order: updatedAt ?? '',
    user: {
      id: readOptionalText(member, 'id') ?? '',
      updatedAt,
      ...userValues(schema, (name) => mailchimpValue(member, name)),
    },
  };
};

const pageIn = (json: Json, query: UserQuery): OffsetPage => {
  const answer = objectOf(json);
  return {
    placed: listOf(answer.get('members')).map((member) => placedUser(objectOf(member), query)),
    total: integerOf(answer.get('total_items')),
  };
};

/**
 * The members of an audience. They are read in the order of their last change: one that is changed meanwhile moves to
 * the end, and is read once more.
 *
 * Source: Mailchimp Developer, "List members info", version 3.0, read in November 2026.
 */
export const mailchimpUserSource: UserSource = {
  readsChanges: true,
  limits: () => MAILCHIMP_LIMITS,
  schema: async (settings, context) => {
    const fields = await mailchimpFieldsNow(settings, context);
    return fields.kind === 'answered'
      ? { kind: 'answered', value: fieldsToRead(fields.value) }
      : fields;
  },
  read: (query, settings, context) =>
    readOverlapping(query.cursor, {
      pageSize: PAGE_SIZE,
      keep: ({ updatedAt }) => isSince(updatedAt, query.changedSince),
      fetch: (offset, size) =>
        getFrom(mailchimpTarget(settings), pathOf(query, offset, size), context, (json) =>
          pageIn(json, query),
        ),
    }),
};

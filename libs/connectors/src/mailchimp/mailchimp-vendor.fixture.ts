import { createHash } from 'node:crypto';
import { type Answer, answer, type ReceivedRequest } from '../http-stub.fixture';

export type MailchimpMember = Record<string, unknown>;

/** A merge field as it is listed. */
export interface MergeField {
  readonly tag: string;
  readonly type: string;
  readonly options?: object;
}

type Reply = readonly [status: number, body: unknown];

const problem = (status: number, title: string, detail: string): Reply => [
  status,
  { type: 'https://mailchimp.com/developer/marketing/docs/errors/', title, status, detail },
];

const LISTING = [
  ...['fields', 'exclude_fields', 'count', 'offset', 'sort_field', 'sort_dir'],
  ...['since_last_changed', 'before_last_changed', 'status', 'email_type'],
];
const SORT_FIELDS = ['timestamp_opt', 'timestamp_signup', 'last_changed'];
const FIELDS_LISTING = ['fields', 'exclude_fields', 'count', 'offset', 'type', 'required'];

interface Batch {
  readonly members: readonly MailchimpMember[];
  readonly update_existing: boolean;
}

const hashOf = (email: string): string =>
  createHash('md5').update(email.toLowerCase()).digest('hex');

/** Merge fields that are not given stay. */
const merged = (known: MailchimpMember, given: MailchimpMember): MailchimpMember => ({
  ...given,
  merge_fields: { ...(known['merge_fields'] as object), ...(given['merge_fields'] as object) },
});

const unknownIn = (query: URLSearchParams, known: readonly string[]): string | undefined =>
  [...query.keys()].find((name) => !known.includes(name));

const timeOf = (member: MailchimpMember): number => Date.parse(String(member['last_changed']));

/** The n-th member of an audience, from 1: changed n minutes after the beginning of the year. */
export const aMailchimpMember = (n: number): MailchimpMember => ({
  id: `${'0'.repeat(31 - String(n).length)}a${String(n)}`,
  email_address: `user-${String(n)}@example.com`,
  unique_email_id: `u${String(n)}`,
  contact_id: `c${String(n)}`,
  full_name: n % 7 === 0 ? '' : `Ada ${String(n)}`,
  web_id: n,
  email_type: 'html',
  status: n % 5 === 0 ? 'unsubscribed' : 'subscribed',
  consents_to_one_to_one_messaging: true,
  merge_fields: {
    FNAME: n % 7 === 0 ? '' : 'Ada',
    AGE: n % 3 === 0 ? '' : n,
    BORN: n % 2 === 0 ? '1990-04-05' : '',
    ADDRESS:
      n % 4 === 0
        ? ''
        : {
            addr1: `${String(n)} Main Street`,
            addr2: '',
            city: 'Rome',
            state: '',
            zip: '1',
            country: 'IT',
          },
    PLAN: n % 2 === 0 ? 'Gold' : 'Silver',
  },
  interests: { '9f': n % 2 === 0 },
  stats: { avg_open_rate: 0.1, avg_click_rate: 0 },
  ip_signup: '',
  timestamp_signup: '',
  ip_opt: '192.0.2.1',
  timestamp_opt: '2025-12-01T09:30:00+01:00',
  member_rating: 2,
  last_changed: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString().replace('.000Z', '+00:00'),
  language: 'en',
  vip: n % 9 === 0,
  email_client: '',
  location: {
    latitude: 41.9,
    longitude: 12.5,
    gmtoff: 1,
    dstoff: 2,
    country_code: 'IT',
    timezone: 'Europe/Rome',
    region: 'RM',
  },
  source: 'API - Generic',
  tags_count: 1,
  tags: [{ id: 1, name: 'vip' }],
  list_id: 'a1b2c3',
});

/** Members that a member has, written or read. */
const KNOWN = new Set(Object.keys(aMailchimpMember(1)));

/**
 * One audience: its merge fields and its members, in pages.
 *
 * Source: Mailchimp Developer, "List members info", "List merge fields" and "Errors", version 3.0, as of November 2026.
 */
export class MailchimpVendor {
  mergeFields: MergeField[] = [
    { tag: 'FNAME', type: 'text' },
    { tag: 'AGE', type: 'number' },
    { tag: 'BORN', type: 'date', options: { date_format: 'MM/DD/YYYY' } },
    { tag: 'ADDRESS', type: 'address' },
    { tag: 'PLAN', type: 'dropdown', options: { choices: ['Gold', 'Silver'] } },
    { tag: '1ST', type: 'text' },
  ];

  constructor(
    private readonly key: string,
    private readonly audience: string,
    readonly members: MailchimpMember[] = [],
    /** The largest page that it gives, whatever is asked for. */
    private readonly maxCount = 1_000,
  ) {}

  readonly answer: Answer = (response, request) => {
    const [status, body] = this.reply(request);
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    answer(status, JSON.stringify(body), headers)(response, request);
  };

  private reply(request: ReceivedRequest): Reply {
    const login = `Basic ${Buffer.from(`penstock:${this.key}`).toString('base64')}`;
    if (request.headers.authorization !== login)
      return problem(401, 'API Key Invalid', 'Your API key may be invalid');
    const { pathname, searchParams } = new URL(request.url, 'https://us1.api.mailchimp.com');
    const path = `${request.method} ${pathname}`;
    const list = `/3.0/lists/${this.audience}`;
    if (path === `GET ${list}`) return [200, { id: this.audience }];
    if (path === `GET ${list}/members`) return this.list(searchParams);
    if (path === `GET ${list}/merge-fields`) return this.fields(searchParams);
    const { body } = request;
    if (path === `POST ${list}`) return this.batch(JSON.parse(body) as Batch);
    const [, id] = /^PATCH .+\/members\/([^/]+)$/.exec(path) ?? [];
    if (id !== undefined) return this.change(id, JSON.parse(body) as MailchimpMember);
    return problem(404, 'Resource Not Found', 'The requested resource could not be found.');
  }

  private list(query: URLSearchParams): Reply {
    const unknown = unknownIn(query, LISTING);
    if (unknown !== undefined) return problem(400, 'Invalid Resource', `unknown ${unknown}`);
    const [count, offset] = [Number(query.get('count')), Number(query.get('offset'))];
    if (!(count >= 1 && count <= 1_000) || !(offset >= 0))
      return problem(400, 'Invalid Resource', 'count and offset');
    if (
      ![null, ...SORT_FIELDS].includes(query.get('sort_field')) ||
      query.get('sort_dir') !== 'ASC'
    )
      return problem(400, 'Invalid Resource', 'sort_field and sort_dir');
    const since = query.get('since_last_changed');
    const changed = this.members.filter(
      (member) => since === null || timeOf(member) > Date.parse(since),
    );
    if (query.get('sort_field') === 'last_changed') changed.sort((a, b) => timeOf(a) - timeOf(b));
    const page = changed.slice(offset, offset + Math.min(count, this.maxCount));
    return [200, { members: page.map(partOf(query)), total_items: changed.length }];
  }

  private batch({ members, update_existing: updates, ...others }: Batch): Reply {
    if (Object.keys(others).length > 0 || members.length > 500)
      return problem(400, 'Invalid Resource', 'unknown members, or too many');
    const [added, updated, errors]: [object[], object[], object[]] = [[], [], []];
    for (const member of members) {
      const error = this.errorOf(member);
      const email = String(member['email_address']);
      const known = this.members.find(({ id }) => id === hashOf(email));
      if (error !== undefined) errors.push({ email_address: email, ...error });
      else if (known === undefined) added.push(this.add(member));
      else if (updates) updated.push(Object.assign(known, merged(known, member)));
      else
        errors.push({ email_address: email, error: 'exists', error_code: 'ERROR_CONTACT_EXISTS' });
    }
    const counts = { total_created: added.length, total_updated: updated.length };
    const lists = { new_members: added, updated_members: updated, errors };
    return [200, { ...lists, ...counts, error_count: errors.length }];
  }

  private change(id: string, member: MailchimpMember): Reply {
    const known = this.members.find((each) => each['id'] === id);
    if (known === undefined) return problem(404, 'Resource Not Found', 'no such member');
    const error = this.errorOf({ ...known, ...member });
    if (error !== undefined) return problem(400, 'Invalid Resource', error.error);
    Object.assign(known, merged(known, member));
    known['id'] = hashOf(String(known['email_address']));
    return [200, known];
  }

  private add(member: MailchimpMember): MailchimpMember {
    const added = {
      ...{ id: hashOf(String(member['email_address'])), last_changed: '2026-06-01T00:00:00+00:00' },
      ...member,
    };
    this.members.push(added);
    return added;
  }

  private errorOf(member: MailchimpMember): { error: string; error_code: string } | undefined {
    const failed = (error: string) => ({ error, error_code: 'ERROR_GENERIC' });
    const unknown = Object.keys(member).find((name) => !KNOWN.has(name));
    if (unknown !== undefined) return failed(`Unknown member ${unknown}`);
    const tags = Object.keys(member['merge_fields'] ?? {});
    const other = tags.find((name) => !this.mergeFields.some(({ tag }) => tag === name));
    if (other !== undefined) return failed(`Unknown merge field ${other}`);
    return /^[^@]+@[^@]+$/.test(String(member['email_address']))
      ? undefined
      : failed('Please provide a valid email address.');
  }

  private fields(query: URLSearchParams): Reply {
    const unknown = unknownIn(query, FIELDS_LISTING);
    if (unknown !== undefined) return problem(400, 'Invalid Resource', `unknown ${unknown}`);
    const fields = this.mergeFields.map((field, index) => ({
      ...{ merge_id: index + 1, name: field.tag.toLowerCase(), required: false, options: {} },
      ...field,
    }));
    return [200, { merge_fields: fields, list_id: this.audience, total_items: fields.length }];
  }
}

/** The members of a member that the query asks for by `fields`; all without it. */
const partOf = (query: URLSearchParams) => {
  const names = query
    .get('fields')
    ?.split(',')
    .filter((name) => name.startsWith('members.'))
    .map((name) => name.slice('members.'.length));
  return (member: MailchimpMember): MailchimpMember =>
    names === undefined
      ? member
      : Object.fromEntries(Object.entries(member).filter(([name]) => names.includes(name)));
};

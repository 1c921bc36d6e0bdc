import { type Answer, answer, type ReceivedRequest } from '../http-stub.fixture';

type Attributes = Record<string, unknown>;

/** A contact as it is listed. */
export interface BrevoContact {
  id: number;
  email: string | null;
  emailBlacklisted: boolean;
  smsBlacklisted: boolean;
  createdAt: string;
  modifiedAt: string;
  listIds: number[];
  attributes: Attributes;
}

type Reply = readonly [status: number, body: unknown];

const failed = (status: number, code: string, message = code): Reply => [status, { code, message }];

const timeAt = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();

const LISTING = ['limit', 'offset', 'sort', 'modifiedSince', 'createdSince', 'ids', 'filter'];
const CREATING = [
  ...['email', 'ext_id', 'attributes', 'emailBlacklisted', 'smsBlacklisted', 'listIds'],
  ...['updateEnabled', 'smtpBlacklistSender'],
];
const CHANGING = [
  ...['ext_id', 'attributes', 'emailBlacklisted', 'smsBlacklisted', 'listIds'],
  ...['unlinkListIds', 'smtpBlacklistSender'],
];

/** The n-th contact, from 1: created n minutes after the beginning of the year, changed a day later. */
export const aBrevoContact = (n: number): BrevoContact => ({
  id: n,
  email: n % 11 === 0 ? null : `user-${String(n)}@example.com`,
  emailBlacklisted: n % 5 === 0,
  smsBlacklisted: false,
  createdAt: timeAt(n),
  modifiedAt: timeAt(24 * 60 + ((n * 37) % 10_000)),
  listIds: [n % 3],
  attributes: {
    FIRSTNAME: n % 7 === 0 ? '' : 'Ada',
    ...(n % 2 === 0 && { AGE: n, EXT_ID: `user-${String(n)}` }),
    BORN: '1990-04-05',
    GENDER: (n % 2) + 1,
    OPTED: n % 2 === 0,
    COUNTRIES: ['India', 'China'],
  },
});

/**
 * The contacts of an account and its attributes.
 *
 * Source: Brevo Developers, "Get all the contacts", "Get a contact's details", "Create a contact", "Update a contact"
 * and "List all attributes", version 3, as of November 2026.
 */
export class BrevoContactsVendor {
  attributes: object[] = [
    { name: 'FIRSTNAME', category: 'normal', type: 'text' },
    { name: 'AGE', category: 'normal', type: 'float' },
    { name: 'BORN', category: 'normal', type: 'date' },
    { name: 'OPTED', category: 'normal', type: 'boolean' },
    {
      name: 'COUNTRIES',
      category: 'normal',
      type: 'multiple-choice',
      multiCategoryOptions: ['India'],
    },
    {
      ...{ name: 'GENDER', category: 'category', type: 'text' },
      enumeration: [
        { value: 1, label: 'Men' },
        { value: 2, label: 'Women' },
      ],
    },
    { name: 'ORDER_ID', category: 'transactional', type: 'id' },
    { name: 'SUM', category: 'calculated', calculatedValue: 'SUM[AGE]' },
    { name: 'ALL', category: 'global', calculatedValue: 'COUNT[AGE]' },
    { name: 'TWO WORDS', category: 'normal', type: 'text' },
    { name: 'NEW_KIND', category: 'normal', type: 'hologram' },
  ];
  private last = 1_000_000;

  constructor(
    private readonly key: string,
    readonly contacts: BrevoContact[] = [],
  ) {}

  readonly answer: Answer = (response, request) => {
    const [status, body] = this.reply(request);
    answer(status, status === 204 ? '' : JSON.stringify(body))(response, request);
  };

  private reply({ method, url, headers, body }: ReceivedRequest): Reply {
    if (headers['api-key'] !== this.key) return failed(401, 'unauthorized');
    const { pathname, searchParams } = new URL(url, 'https://api.brevo.com');
    const [, version, resource, id, ...more] = pathname.split('/');
    if (`${method} ${pathname}` === 'GET /v3/account') return [200, { email: 'a@example.com' }];
    if (version !== 'v3' || resource !== 'contacts' || more.length > 0)
      return failed(404, 'document_not_found');
    if (method === 'GET' && id === 'attributes') return [200, { attributes: this.attributes }];
    if (method === 'GET')
      return id === undefined ? this.list(searchParams) : this.one(id, searchParams);
    if (headers['content-type'] !== 'application/json') return failed(415, 'media_type');
    const given = JSON.parse(body) as Attributes;
    if (method === 'POST' && id === undefined) return this.create(given);
    return method === 'PUT' && id !== undefined
      ? this.change(id, searchParams, given)
      : failed(405, 'method_not_allowed');
  }

  private list(query: URLSearchParams): Reply {
    const unknown = [...query.keys()].find((name) => !LISTING.includes(name));
    const [limit, offset] = [Number(query.get('limit') ?? 50), Number(query.get('offset') ?? 0)];
    if (unknown !== undefined || !(limit >= 1 && limit <= 1_000) || !(offset >= 0))
      return failed(400, 'invalid_parameter');
    const since = query.get('modifiedSince');
    if (since !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(since))
      return failed(400, 'invalid_parameter');
    const found = this.contacts
      .filter(({ modifiedAt }) => since === null || modifiedAt > since)
      .sort((a, b) => a.id - b.id);
    if (query.get('sort') !== 'asc') found.reverse();
    return [200, { contacts: found.slice(offset, offset + limit), count: found.length }];
  }

  private one(id: string, query: URLSearchParams): Reply {
    const contact = this.find(id, query);
    return contact === undefined ? failed(404, 'document_not_found') : [200, contact];
  }

  private find(id: string, query: URLSearchParams): BrevoContact | undefined {
    const value = decodeURIComponent(id);
    return this.contacts.find((contact) => {
      switch (query.get('identifierType')) {
        case 'contact_id':
          return String(contact.id) === value;
        case 'email_id':
          return contact.email === value.toLowerCase();
        case 'ext_id':
          return contact.attributes['EXT_ID'] === value;
        default:
          return false;
      }
    });
  }

  private create(given: Attributes): Reply {
    if (Object.keys(given).some((name) => !CREATING.includes(name)) || !this.knows(given))
      return failed(400, 'invalid_parameter');
    const { email = null, ext_id: externalId, attributes = {} } = given;
    if (email === null && externalId === undefined) return failed(400, 'missing_parameter');
    if (this.contacts.some((each) => email !== null && each.email === email))
      return failed(400, 'duplicate_parameter', 'Contact already exist');
    const id = (this.last += 1);
    this.contacts.push({
      ...{ id, email: email as string | null, emailBlacklisted: false, smsBlacklisted: false },
      ...{ createdAt: timeAt(id), modifiedAt: timeAt(id), listIds: [] },
      attributes: {
        ...(attributes as Attributes),
        ...(externalId !== undefined && { EXT_ID: externalId }),
      },
    });
    return [201, { id }];
  }

  private change(id: string, query: URLSearchParams, given: Attributes): Reply {
    if (Object.keys(given).some((name) => !CHANGING.includes(name)) || !this.knows(given))
      return failed(400, 'invalid_parameter');
    const contact = this.find(id, query);
    if (contact === undefined) return failed(404, 'document_not_found', 'Contact does not exist');
    const { attributes = {}, ext_id: externalId, ...others } = given;
    const { EMAIL: email, ...own } = attributes as Attributes;
    if (typeof email === 'string') contact.email = email;
    if (externalId !== undefined) own['EXT_ID'] = externalId;
    Object.assign(contact.attributes, own);
    Object.assign(contact, others, { modifiedAt: timeAt((this.last += 1)) });
    return [204, ''];
  }

  /** Whether the account has all the attributes. */
  private knows({ attributes = {} }: Attributes): boolean {
    const names = new Set([
      'EMAIL',
      ...this.attributes.map((each) => (each as { name: string }).name),
    ]);
    return Object.keys(attributes as Attributes).every((name) => names.has(name));
  }
}

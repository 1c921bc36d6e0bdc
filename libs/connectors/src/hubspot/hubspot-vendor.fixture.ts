import { type Answer, answer, type ReceivedRequest } from '../http-stub.fixture';
import { plain } from '../vendor-tests.fixture';

/** A property of contacts as HubSpot describes it. */
export interface VendorProperty {
  readonly name: string;
  readonly type: string;
  readonly fieldType?: string;
  readonly hubspotDefined?: boolean;
  readonly hasUniqueValue?: boolean;
  readonly calculated?: boolean;
  readonly hidden?: boolean;
  readonly archived?: boolean;
  readonly modificationMetadata?: { readonly readOnlyValue: boolean };
}

interface Contact {
  readonly id: string;
  updatedAtMs: number;
  readonly properties: Map<string, string>;
}

interface Input {
  readonly id?: string;
  readonly objectWriteTraceId?: string;
  readonly properties: Readonly<Record<string, string>>;
}

interface Filter {
  readonly propertyName: string;
  readonly operator: string;
  readonly value: string;
}

interface Search {
  readonly filterGroups: readonly { readonly filters: readonly Filter[] }[];
  readonly sorts: readonly { readonly propertyName: string; readonly direction: string }[];
  readonly properties: readonly string[];
  readonly limit: number;
}

type Reply = readonly [status: number, body: object];

const READ_ONLY = { modificationMetadata: { readOnlyValue: true } };

export const STANDARD: readonly VendorProperty[] = [
  { name: 'email', type: 'string', hubspotDefined: true },
  { name: 'firstname', type: 'string', hubspotDefined: true },
  { name: 'lastname', type: 'string', hubspotDefined: true },
  { name: 'hs_object_id', type: 'string', hubspotDefined: true, ...READ_ONLY },
  { name: 'lastmodifieddate', type: 'datetime', hubspotDefined: true, ...READ_ONLY },
  { name: 'hs_score', type: 'number', hubspotDefined: true, calculated: true },
];

const refused = (status: number, category: string, message: string): Reply => [
  status,
  { status: 'error', message, correlationId: 'aeb5f871-7f07-4993-9211-075dc63e7cbf', category },
];

/** @returns what HubSpot refuses of members that it does not know. */
const unknownMember = (given: object, ...known: readonly string[]): Reply | undefined => {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  return unknown === undefined
    ? undefined
    : refused(400, 'VALIDATION_ERROR', `Invalid input JSON: unrecognized field "${unknown}"`);
};

const isoOf = (ms: number): string => new Date(ms).toISOString();

/**
 * Contacts of one account. Members and parameters that it does not know are errors.
 *
 * Source: HubSpot's OpenAPI description "Contacts" v3 (rollout 424) and the pages "Search the CRM", "Properties" and
 * "Error handling" (multi-status errors), as of November 2026.
 */
export class HubspotVendor {
  readonly contacts = new Map<string, Contact>();
  readonly paths: string[] = [];
  properties: VendorProperty[] = [...STANDARD];
  /** Answers with more bytes are refused by those who read them: what each contact has beside its properties. */
  padding = '';
  private nextId = 1;

  constructor(private readonly token: string) {}

  /** Adds a contact that was changed at a time. */
  add(properties: Readonly<Record<string, string>>, updatedAtMs = Date.now()): string {
    const id = String(this.nextId);
    this.nextId += 1;
    this.contacts.set(id, { id, updatedAtMs, properties: new Map(Object.entries(properties)) });
    return id;
  }

  readonly answer: Answer = (response, request) => {
    const [status, body] = this.reply(request);
    answer(status, JSON.stringify(body), { 'Content-Type': 'application/json' })(response, request);
  };

  private reply(request: ReceivedRequest): Reply {
    const { method, headers } = request;
    const url = new URL(request.url, 'http://stub');
    this.paths.push(`${method} ${url.pathname}`);
    if (headers.authorization !== `Bearer ${this.token}`)
      return refused(401, 'INVALID_AUTHENTICATION', 'Authentication credentials not found.');
    switch (`${method} ${url.pathname}`) {
      case 'GET /crm/v3/properties/contacts':
        return [200, { results: this.properties.filter(({ archived }) => archived !== true) }];
      case 'GET /crm/v3/objects/contacts':
        return this.list(url.searchParams);
      case 'POST /crm/v3/objects/contacts/search':
        return this.search(plain(request.body) as unknown as Search);
      case 'POST /crm/v3/objects/contacts/batch/read':
        return this.read(plain(request.body));
      case 'POST /crm/v3/objects/contacts/batch/create':
        return this.batch(request.body, (input) => this.create(input));
      case 'POST /crm/v3/objects/contacts/batch/update':
        return this.batch(request.body, (input) => this.update(input));
      default:
        return refused(404, 'OBJECT_NOT_FOUND', 'resource not found');
    }
  }

  private list(parameters: URLSearchParams): Reply {
    const wrong = unknownMember(
      Object.fromEntries(parameters),
      ...['limit', 'after', 'properties', 'archived'],
    );
    if (wrong !== undefined) return wrong;
    const limit = Number(parameters.get('limit') ?? '10');
    if (limit < 1 || limit > 100) return refused(400, 'VALIDATION_ERROR', 'limit is at most 100');
    const after = Number(parameters.get('after') ?? '0');
    const names = parameters.get('properties')?.split(',') ?? [];
    const rest = [...this.contacts.values()].filter(({ id }) => Number(id) > after);
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    const paging =
      rest.length > limit && last !== undefined
        ? { paging: { next: { after: last.id, link: `?after=${last.id}` } } }
        : {};
    return [200, { results: page.map((each) => this.shown(each, names)), ...paging }];
  }

  private search(given: Search): Reply {
    const wrong =
      unknownMember(given, 'limit', 'sorts', 'properties', 'filterGroups') ??
      given.filterGroups
        .flatMap(({ filters }) => filters)
        .map((each) => unknownMember(each, 'propertyName', 'operator', 'value'))
        .find((each) => each !== undefined);
    if (wrong !== undefined) return wrong;
    if (given.limit > 200) return refused(400, 'VALIDATION_ERROR', 'limit is at most 200');
    const filters = given.filterGroups[0]?.filters ?? [];
    const [sort] = given.sorts;
    const found = [...this.contacts.values()]
      .filter((contact) => filters.every((each) => this.matches(contact, each)))
      .sort((one, other) => this.compare(one, other, sort?.propertyName ?? ''));
    const results = found.slice(0, given.limit).map((each) => this.shown(each, given.properties));
    return [200, { total: found.length, results }];
  }

  private number(contact: Contact, name: string): number {
    return name === 'lastmodifieddate' ? contact.updatedAtMs : Number(contact.id);
  }

  private compare(one: Contact, other: Contact, name: string): number {
    return this.number(one, name) - this.number(other, name) || Number(one.id) - Number(other.id);
  }

  private matches(contact: Contact, { propertyName, operator, value }: Filter): boolean {
    const number = this.number(contact, propertyName);
    const wanted = Number(value);
    return (
      (operator === 'EQ' && number === wanted) ||
      (operator === 'GT' && number > wanted) ||
      (operator === 'GTE' && number >= wanted) ||
      (operator === 'LTE' && number <= wanted)
    );
  }

  private read(given: Record<string, unknown>): Reply {
    const wrong = unknownMember(
      given,
      ...['inputs', 'properties', 'propertiesWithHistory', 'idProperty'],
    );
    if (wrong !== undefined) return wrong;
    const inputs = given['inputs'] as readonly { readonly id: string }[];
    if (inputs.length > 100) return refused(400, 'VALIDATION_ERROR', 'at most 100 inputs');
    const names = given['properties'] as readonly string[];
    const by = given['idProperty'] as string | undefined;
    if (by !== undefined && !this.isUnique(by))
      return refused(400, 'VALIDATION_ERROR', `${by} is not a unique property`);
    const found = inputs.map(({ id }) => this.find(id, by));
    const missing = inputs.filter((_, n) => found[n] === undefined).map(({ id }) => id);
    const results = found.flatMap((each) => (each ? [this.shown(each, names)] : []));
    return this.settled(
      results,
      missing.length === 0
        ? []
        : [{ ...notFound('Could not get some CONTACT objects.'), context: { ids: missing } }],
    );
  }

  private isUnique(name: string): boolean {
    const found = this.properties.find((each) => each.name === name);
    return name === 'email' || found?.hasUniqueValue === true;
  }

  private find(id: string, by: string | undefined): Contact | undefined {
    if (by === undefined) return this.contacts.get(id);
    const wanted = id.toLowerCase();
    return [...this.contacts.values()].find(
      ({ properties }) => properties.get(by)?.toLowerCase() === wanted,
    );
  }

  /** With trace ids, some inputs may fail and others not; without, all fail with one. */
  private batch(body: string, write: (input: Input) => object): Reply {
    const given = plain(body);
    const inputs = given['inputs'] as readonly Input[];
    const wrong =
      unknownMember(given, 'inputs') ??
      inputs
        .map((each) => unknownMember(each, 'id', 'objectWriteTraceId', 'properties'))
        .find((each) => each !== undefined);
    if (wrong !== undefined) return wrong;
    if (inputs.length > 100) return refused(400, 'VALIDATION_ERROR', 'at most 100 inputs');
    const written = inputs.map(write);
    return this.settled(
      written.filter((each) => 'id' in each),
      written.filter((each) => 'category' in each),
    );
  }

  private settled(results: readonly object[], errors: readonly object[]): Reply {
    const times = { startedAt: isoOf(0), completedAt: isoOf(1) };
    const failed = errors.length === 0 ? {} : { numErrors: errors.length, errors };
    return [errors.length === 0 ? 200 : 207, { status: 'COMPLETE', results, ...times, ...failed }];
  }

  private create(input: Input): object {
    if (input.id !== undefined) return traced(input, 'VALIDATION_ERROR', 'an id cannot be given');
    const error = this.problem(input, undefined);
    if (error !== undefined) return error;
    const id = this.add({});
    return this.write(this.contacts.get(id), input);
  }

  private update(input: Input): object {
    const contact = this.contacts.get(input.id ?? '');
    if (contact === undefined)
      return { ...notFound('contact does not exist'), context: { ids: [input.id] } };
    return this.problem(input, contact) ?? this.write(contact, input);
  }

  private problem(input: Input, present: Contact | undefined): object | undefined {
    for (const [name, value] of Object.entries(input.properties)) {
      const property = this.properties.find((each) => each.name === name);
      const isReadOnly = property?.modificationMetadata?.readOnlyValue ?? property?.calculated;
      if (property === undefined || isReadOnly === true || typeof value !== 'string')
        return traced(input, 'VALIDATION_ERROR', `Property "${name}" cannot be written`);
    }
    const { email } = input.properties;
    const other = email === undefined ? undefined : this.find(email, 'email');
    return other === undefined || other === present
      ? undefined
      : traced(input, 'CONFLICT', `Contact already exists. Existing ID: ${other.id}`);
  }

  private write(contact: Contact | undefined, input: Input): object {
    if (contact === undefined) throw new Error('no contact');
    for (const [name, value] of Object.entries(input.properties))
      if (value === '') contact.properties.delete(name);
      else contact.properties.set(name, value);
    contact.updatedAtMs = Date.now();
    const { objectWriteTraceId } = input;
    return { ...this.shown(contact, Object.keys(input.properties)), objectWriteTraceId };
  }

  /** Properties without a value are null; those that the account does not have are left out. */
  private shown({ id, updatedAtMs, properties }: Contact, names: readonly string[]): object {
    const known = names.filter((name) => this.properties.some((each) => each.name === name));
    const own: Record<string, string> = { hs_object_id: id, lastmodifieddate: isoOf(updatedAtMs) };
    return {
      id,
      properties: Object.fromEntries(
        known.map((name) => [name, own[name] ?? properties.get(name) ?? null]),
      ),
      createdAt: isoOf(0),
      updatedAt: isoOf(updatedAtMs),
      archived: false,
      ...(this.padding !== '' && { url: this.padding }),
    };
  }
}

const notFound = (message: string) => ({ status: 'error', category: 'OBJECT_NOT_FOUND', message });

const traced = ({ objectWriteTraceId }: Input, category: string, message: string): object => ({
  status: 'error',
  category,
  message,
  context: { objectWriteTraceId: [objectWriteTraceId] },
});

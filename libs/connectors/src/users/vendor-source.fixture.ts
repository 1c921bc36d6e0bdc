import { parseJson, parseSchema, type Property, type Schema } from '@penstock/schema';
import type { ConnectionRole } from '@penstock/contracts';
import type { CallContext } from '../connector/call-context';
import type { Connector, Settings } from '../connector/connector';
import type { GuardedHttp } from '../connector/guarded-http';
import type { OutgoingUser } from '../connector/user-destination';
import type {
  Answer as Read,
  ApplicationUser,
  UserPage,
  UserQuery,
  UserSource,
} from '../connector/user-source';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { type Answer, HttpStub } from '../http-stub.fixture';
import { aContext, aRecord } from '../outgoing-event.fixture';

const valueOf = <T>(answer: Read<T>): T => {
  if (answer.kind !== 'answered') throw new Error(answer.reason);
  return answer.value;
};

/** The n-th user that is written, with values of {@link VendorSource.schemaOf}. */
export const aUser = (
  values: Readonly<Record<string, string | null>>,
  id: string | null = null,
  n = 1,
): OutgoingUser => ({ id, values: aRecord(values), idempotencyKey: `key-${String(n)}` });

/** What an application answers when it is asked whether it accepts settings. */
export const asked = (
  connector: Connector,
  settings: Settings,
  role: ConnectionRole,
  context: CallContext,
): Promise<Read<unknown>> =>
  connector.askSettings?.(settings, role, context) ??
  Promise.reject(new Error(`${connector.code} cannot be asked`));

/** A vendor on the loopback interface whose users are read: started before each test of a file, closed after each. */
export class VendorSource {
  readonly source: UserSource;
  private started: { readonly stub: HttpStub; readonly http: GuardedHttp } | undefined;

  constructor(
    private readonly connector: Connector,
    private readonly plain: (origin: string) => object,
    vendor: () => Answer,
  ) {
    if (connector.userSource === undefined) throw new Error(`${connector.code} has no users`);
    this.source = connector.userSource;
    beforeEach(async () => {
      const stub = await HttpStub.start();
      stub.always(vendor());
      this.started = { stub, http: createGuardedHttp({ allow: ['127.0.0.0/8'] }) };
    });
    afterEach(async () => {
      await this.started?.stub.close();
      await this.started?.http.close();
      this.started = undefined;
    });
  }

  get stub(): HttpStub {
    if (this.started === undefined) throw new Error('nothing was started');
    return this.started.stub;
  }

  /** Settings that send to the stub, opened anew. */
  settings(changes: object = {}): Settings {
    const plain = { ...this.plain(this.started?.stub.origin ?? 'http://127.0.0.1:1'), ...changes };
    return this.connector.checkSettings(parseJson(JSON.stringify(plain)), 'Source');
  }

  /** A schema of texts. */
  schemaOf(...names: readonly string[]): Schema {
    const properties = names.map((name) => ({
      name,
      type: { kind: 'string' },
      nullable: true,
      readOptional: true,
    }));
    return parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));
  }

  async schema(): Promise<Schema> {
    return valueOf(await this.source.schema(this.settings(), this.context));
  }

  /** What may be written, by name. */
  async written(): Promise<Readonly<Record<string, Property | undefined>>> {
    const { userDestination: destination } = this.connector;
    if (destination === undefined) throw new Error('users cannot be written');
    const schema = valueOf(await destination.schema(this.settings(), this.context));
    return Object.fromEntries(schema.properties.map((property) => [property.name, property]));
  }

  /** A page of users: by default of the first one, with their whole schema. */
  async read(query: Partial<UserQuery> = {}): Promise<UserPage> {
    const schema = query.schema ?? (await this.schema());
    const whole = { changedSince: null, cursor: '', ...query, schema };
    return valueOf(await this.source.read(whole, this.settings(), this.context));
  }

  /** All users from a page on. */
  async rest(from: string | null, query: Partial<UserQuery> = {}): Promise<ApplicationUser[]> {
    const users: ApplicationUser[] = [];
    for (let cursor = from; cursor !== null;) {
      const page = await this.read({ ...query, cursor });
      users.push(...page.users);
      cursor = page.next;
    }
    return users;
  }

  get context(): CallContext {
    if (this.started === undefined) throw new Error('nothing was started');
    return aContext(this.started.http);
  }
}

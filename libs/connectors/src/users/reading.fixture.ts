import { parseJson, type Schema } from '@penstock/schema';
import type { Connector, Settings } from '../connector/connector';
import type { GuardedHttp } from '../connector/guarded-http';
import type {
  Answer as Read,
  ApplicationUser,
  UserPage,
  UserQuery,
  UserSource,
} from '../connector/user-source';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { type Answer, HttpStub } from '../http-stub.fixture';
import { aContext } from '../outgoing-event.fixture';

export const settingsOf =
  (connector: Connector) =>
  (plain: object): Settings =>
    connector.checkSettings(parseJson(JSON.stringify(plain)), 'Source');

export const valueOf = <T>(read: Read<T>): T => {
  if (read.kind !== 'answered') throw new Error(read.reason);
  return read.value;
};

/** The properties of a schema with some names, in their order. */
export const partOf = (schema: Schema, ...names: readonly string[]): Schema => ({
  kind: 'object',
  properties: schema.properties.filter(({ name }) => names.includes(name)),
});

/** A vendor whose users are read, on the loopback interface: started before each spec of a file, closed after each. */
export class Reading {
  private stub: HttpStub | undefined;
  private client: GuardedHttp | undefined;

  constructor(
    private readonly source: UserSource,
    private readonly settingsFor: (origin: string) => Settings,
    private readonly vendor: () => Answer,
  ) {
    beforeEach(async () => {
      this.stub = await HttpStub.start();
      this.stub.always(this.vendor());
      this.client = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    });
    afterEach(async () => {
      await this.stub?.close();
      await this.client?.close();
    });
  }

  get vendorStub(): HttpStub {
    if (this.stub === undefined) throw new Error('nothing was started');
    return this.stub;
  }

  get context() {
    if (this.client === undefined) throw new Error('nothing was started');
    return aContext(this.client);
  }

  /** Each a new object: nothing is remembered of it. */
  get settings(): Settings {
    return this.settingsFor(this.vendorStub.origin);
  }

  async schema(): Promise<Schema> {
    return valueOf(await this.source.schema(this.settings, this.context));
  }

  async page(query: Partial<UserQuery> & Pick<UserQuery, 'schema'>) {
    return this.source.read(
      { changedSince: null, cursor: '', ...query },
      this.settings,
      this.context,
    );
  }

  /** @param between is done after each page. */
  async all(
    query: Partial<UserQuery> & Pick<UserQuery, 'schema'>,
    between: () => void = () => undefined,
  ): Promise<ApplicationUser[]> {
    const users: ApplicationUser[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: UserPage = valueOf(await this.page({ ...query, cursor }));
      if (page.next !== null) expect(page.users).not.toEqual([]);
      users.push(...page.users);
      cursor = page.next;
      between();
    }
    return users;
  }
}

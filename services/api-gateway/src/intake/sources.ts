import type { Connector, Connectors } from '@penstock/connectors';
import { type ConnectionState, Refusal } from '@penstock/contracts';
import type { Seals, SecretBox } from '@penstock/runtime';
import { Invalid, type Json, parseJson } from '@penstock/schema';
import { unavailable } from '../http/http-refusal';
import type { CurrentReplica } from '../replica/current-replica';
import { KeyLookUp } from '../replica/key-look-up';
import { isWriteKeyForm } from './presented-key';
import { Source } from './source';

export interface SourcesDependencies {
  readonly current: CurrentReplica;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly seals: Seals;
}

/** Finds the source of a write key in memory. */
export class Sources {
  private readonly keys: KeyLookUp<Source>;
  private readonly made = new WeakMap<ConnectionState, Source>();

  constructor(private readonly dependencies: SourcesDependencies) {
    const { current, secrets } = dependencies;
    this.keys = new KeyLookUp(
      { current, keyedHash: (key) => secrets.keyedHash(key) },
      (hash) => this.byHash(hash),
      isWriteKeyForm,
    );
  }

  /** @returns undefined for a key that the replica does not contain; {@link require} may find it. */
  find(key: string): Source | undefined {
    return this.keys.find(key);
  }

  /**
   * Finds the source of a key; brings the replica up to date first when it does not contain the key.
   *
   * @throws Refusal Unauthorized
   * @throws HttpRefusal ServiceUnavailable when the replica cannot be brought up to date in time, or the source is one that
   *   this version does not serve.
   */
  async require(key: string): Promise<Source> {
    const source = this.keys.find(key) ?? (await this.keys.findNew(key));
    if (source === undefined) throw new Refusal('Unauthorized');
    return source;
  }

  private byHash(hash: string): Source | undefined {
    const connection = this.dependencies.current.replica.connectionByWriteKey(hash);
    if (connection === undefined) return undefined;
    const known = this.made.get(connection);
    if (known !== undefined) return known;
    const source = this.make(connection);
    if (source !== undefined) this.made.set(connection, source);
    return source;
  }

  /** A source of another version is not called unknown: SDKs throw away the events of one that is. */
  private make(connection: ConnectionState): Source | undefined {
    const { connectors, seals } = this.dependencies;
    const connector = connectors.get(connection.connector);
    if (connector === undefined) throw unavailable('the connector of the source is not known here');
    if (connector.eventSource === undefined) return undefined;
    const settings = parseJson(seals.open(connection.settings, connection.workspace));
    return new Source(connection, connector.eventSource, checked(connector, connection, settings));
  }
}

/** @throws HttpRefusal ServiceUnavailable for settings that a newer version has accepted. */
const checked = (connector: Connector, { role }: ConnectionState, settings: Json) => {
  try {
    return connector.checkSettings(settings, role);
  } catch (error) {
    throw error instanceof Invalid
      ? unavailable('the settings of the source are not known here', error)
      : error;
  }
};

import type { Connectors } from '@penstock/connectors';
import { type ConfigurationPicture, type ConnectionState, Refusal } from '@penstock/contracts';
import type { SecretBox } from '@penstock/runtime';
import { parseJson } from '@penstock/schema';
import { BoundedCache } from './bounded-cache';
import { CatchUp } from './catch-up';
import { isWriteKeyForm } from './presented-key';
import { Source } from './source';

/** Keys whose hash is remembered, and keys that are known to be nobody's. */
const REMEMBERED_KEYS = 10_000;
/** Nobody guesses a key before it is made, so the answer for one that was tried can be remembered a while. */
const UNKNOWN_FOR_MS = 10_000;

export interface SourcesDependencies {
  readonly picture: ConfigurationPicture;
  readonly connectors: Connectors;
  readonly secretBox: SecretBox;
  /** Brings the picture to the present end of the configuration; bounded in time. */
  readonly catchUp: () => Promise<void>;
}

/** Finds the source that a write key stands for, in memory. */
export class Sources {
  private readonly hashes = new BoundedCache<string, string>(REMEMBERED_KEYS);
  private readonly unknownUntilMs = new BoundedCache<string, number>(REMEMBERED_KEYS);
  private readonly made = new WeakMap<ConnectionState, Source>();
  private readonly catchUp: CatchUp;

  constructor(private readonly dependencies: SourcesDependencies) {
    this.catchUp = new CatchUp(dependencies.catchUp);
  }

  /**
   * Looks again once the picture is up to date when it does not hold the key yet.
   *
   * @throws Refusal Unauthorized
   */
  async require(key: string): Promise<Source> {
    const source = this.find(key) ?? (await this.findNew(key));
    if (source === undefined) throw new Refusal('Unauthorized');
    return source;
  }

  /** @returns undefined for a key that the picture does not hold; it may be too new for it. */
  find(key: string): Source | undefined {
    if (!isWriteKeyForm(key)) return undefined;
    const connection = this.dependencies.picture.connectionByWriteKey(this.hashOf(key));
    return connection === undefined ? undefined : this.sourceOf(connection);
  }

  private async findNew(key: string): Promise<Source | undefined> {
    if (!isWriteKeyForm(key)) return undefined;
    const hash = this.hashOf(key);
    if ((this.unknownUntilMs.get(hash) ?? 0) > Date.now()) return undefined;
    await this.catchUp.toPresentEnd();
    const source = this.find(key);
    if (source === undefined) this.unknownUntilMs.set(hash, Date.now() + UNKNOWN_FOR_MS);
    return source;
  }

  private hashOf(key: string): string {
    const known = this.hashes.get(key);
    if (known !== undefined) return known;
    const hash = this.dependencies.secretBox.keyedHash(key);
    this.hashes.set(key, hash);
    return hash;
  }

  private sourceOf(connection: ConnectionState): Source | undefined {
    const known = this.made.get(connection);
    if (known !== undefined) return known;
    const { connectors, secretBox } = this.dependencies;
    const connector = connectors.get(connection.connector);
    if (connector?.eventSource === undefined) return undefined;
    const settings = parseJson(secretBox.open(connection.settings, connection.workspace));
    const source = new Source(
      connection,
      connector.eventSource,
      connector.checkSettings(settings, connection.role),
    );
    this.made.set(connection, source);
    return source;
  }
}

import { BoundedCache } from '../cache/bounded-cache';
import type { CurrentReplica } from './current-replica';

const REMEMBERED_KEYS = 10_000;
/** Nobody guesses a key before it is made, so that one was nobody's can be remembered a while. */
const UNKNOWN_FOR_MS = 10_000;

export interface KeyLookUpDependencies {
  readonly keyedHash: (key: string) => string;
  /** Holds the replica that is looked into. */
  readonly current: Pick<CurrentReplica, 'toPresentEnd'>;
}

/** Finds whose a key is, in memory. A key that is not known may be too new: then the replica catches up first. */
export class KeyLookUp<Owner> {
  private readonly hashes = new BoundedCache<string, string>(REMEMBERED_KEYS);
  private readonly unknownUntilMs = new BoundedCache<string, number>(REMEMBERED_KEYS);

  constructor(
    private readonly dependencies: KeyLookUpDependencies,
    /** Looks into the replica. */
    private readonly ownerOf: (hash: string) => Owner | undefined,
    /** Whether the text can be a key at all; what cannot be one is not looked up. */
    private readonly isKeyForm: (text: string) => boolean,
  ) {}

  /** @returns undefined for a key that the replica does not hold. */
  find(key: string): Owner | undefined {
    return this.isKeyForm(key) ? this.ownerOf(this.hashOf(key)) : undefined;
  }

  /**
   * The same, after reading what the configuration may have gained.
   *
   * @throws HttpRefusal ServiceUnavailable when that cannot be read in time.
   */
  async findNew(key: string): Promise<Owner | undefined> {
    if (!this.isKeyForm(key)) return undefined;
    const hash = this.hashOf(key);
    if ((this.unknownUntilMs.get(hash) ?? 0) > Date.now()) return undefined;
    await this.dependencies.current.toPresentEnd();
    const owner = this.ownerOf(hash);
    if (owner === undefined) this.unknownUntilMs.set(hash, Date.now() + UNKNOWN_FOR_MS);
    return owner;
  }

  private hashOf(key: string): string {
    const known = this.hashes.get(key);
    if (known !== undefined) return known;
    const hash = this.dependencies.keyedHash(key);
    this.hashes.set(key, hash);
    return hash;
  }
}

import { BoundedCache } from '../cache/bounded-cache';
import type { CurrentReplica } from './current-replica';

const REMEMBERED_KEYS = 10_000;
/** Time for which a key is remembered as unknown: keys are random, so nobody sends one before it is created. */
const UNKNOWN_FOR_MS = 10_000;

export interface KeyLookUpDependencies {
  readonly keyedHash: (key: string) => string;
  /** Brings the replica up to date. */
  readonly current: Pick<CurrentReplica, 'toPresentEnd'>;
}

/** Finds the owner of a key, in memory. For an unknown key, which may be new, the replica catches up first. */
export class KeyLookUp<Owner> {
  private readonly hashes = new BoundedCache<string, string>(REMEMBERED_KEYS);
  private readonly unknownUntilMs = new BoundedCache<string, number>(REMEMBERED_KEYS);

  constructor(
    private readonly dependencies: KeyLookUpDependencies,
    /** Looks a hash up in the replica. */
    private readonly ownerOf: (hash: string) => Owner | undefined,
    /** Checks the form of a key; a text of another form is not looked up. */
    private readonly isKeyForm: (text: string) => boolean,
  ) {}

  /** @returns undefined for a key that the replica does not contain. */
  find(key: string): Owner | undefined {
    return this.isKeyForm(key) ? this.ownerOf(this.hashOf(key)) : undefined;
  }

  /**
   * Like {@link find}, after the replica has been brought up to date.
   *
   * @throws HttpRefusal ServiceUnavailable when that is not possible in time.
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

import { randomBytes } from 'node:crypto';
import type { DataKey, Sealed, WorkspaceId } from '@penstock/contracts';
import { decrypt, encrypt, KEY_BYTES, SealBroken } from './cipher';
import { newId } from './keys/new-id';
import type { SecretBox } from './secret-box';

/** `v2:`, the id of the data key, and base64url of nonce, ciphertext and tag. */
const FORM = /^v2:([\w-]+):([\w-]+)$/;

/** The data key is not there any more, or not for this workspace: values can be neither opened nor sealed under it. */
export class KeyErased extends SealBroken {
  override readonly name = 'KeyErased';
  constructor() {
    super('the data key of the workspace was erased');
  }
}

/** A wrapped key is of no use under another id, or for another workspace. */
const wrapping = ({ id, workspace }: Omit<DataKey, 'wrapped'>): string =>
  `data-key/${id}/${workspace}`;

/** A data key for a workspace that has none. */
export const newDataKey = (secrets: SecretBox, workspace: WorkspaceId): DataKey => {
  const key = { id: newId(), workspace };
  const plain = randomBytes(KEY_BYTES).toString('base64url');
  return { ...key, wrapped: secrets.seal(plain, wrapping(key)) };
};

/** Seals and opens the secrets of workspaces, each under its data key (docs/adr/0010). */
export class Seals {
  /** As long as the wrapped one is held. */
  private readonly unwrapped = new WeakMap<DataKey, Buffer>();

  /** @param keyOf the data key that a workspace has now. */
  constructor(
    private readonly secrets: SecretBox,
    private readonly keyOf: (workspace: string) => DataKey | undefined,
  ) {}

  /**
   * @param context what the secret belongs to, when that is not just the workspace: it opens only with the same one.
   * @throws KeyErased
   */
  seal(plain: string, workspace: string, context = workspace): Sealed {
    const key = this.keyOf(workspace);
    if (key === undefined) throw new KeyErased();
    return `v2:${key.id}:${encrypt(this.unwrap(key), plain, context)}`;
  }

  /** Opens also what was sealed before there were data keys. @throws KeyErased, SealBroken */
  open(sealed: Sealed, workspace: string, context = workspace): string {
    const [, id, text] = FORM.exec(sealed) ?? [];
    if (text === undefined) return this.secrets.open(sealed, context);
    const key = this.keyOf(workspace);
    if (key === undefined || key.id !== id) throw new KeyErased();
    return decrypt(this.unwrap(key), text, context).toString('utf8');
  }

  /** @returns the same secret as it may stand in a fact: under the workspace's key. @throws KeyErased, SealBroken */
  kept(sealed: Sealed, workspace: string): Sealed {
    const plain = this.open(sealed, workspace);
    return FORM.test(sealed) ? sealed : this.seal(plain, workspace);
  }

  /** {@link SecretBox.keyedHash}: it outlives the data keys. */
  readonly keyedHash = (text: string): string => this.secrets.keyedHash(text);

  private unwrap(key: DataKey): Buffer {
    const known = this.unwrapped.get(key);
    if (known !== undefined) return known;
    const plain = Buffer.from(this.secrets.open(key.wrapped, wrapping(key)), 'base64url');
    this.unwrapped.set(key, plain);
    return plain;
  }
}

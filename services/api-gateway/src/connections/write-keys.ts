import type { EventWriteKey, Sealed, WorkspaceId } from '@penstock/contracts';
import { newWriteKey, type SecretBox } from '@penstock/runtime';

/** Event write keys, of which the log holds a hash and a sealed copy. */
export class WriteKeys {
  constructor(private readonly secrets: SecretBox) {}

  make(workspace: WorkspaceId): EventWriteKey {
    const key = newWriteKey();
    return { hash: this.hashOf(key), sealed: this.secrets.seal(key, workspace) };
  }

  hashOf(key: string): string {
    return this.secrets.keyedHash(key);
  }

  open(sealed: Sealed, workspace: WorkspaceId): string {
    return this.secrets.open(sealed, workspace);
  }
}

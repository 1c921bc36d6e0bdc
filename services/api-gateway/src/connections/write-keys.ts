import { Injectable } from '@nestjs/common';
import type { EventWriteKey, Sealed, WorkspaceId } from '@penstock/contracts';
import { newWriteKey, Seals, SecretBox } from '@penstock/runtime';

/** Creates and shows event write keys; the log holds a hash and a sealed copy of each. */
@Injectable()
export class WriteKeys {
  constructor(
    private readonly secrets: SecretBox,
    private readonly seals: Seals,
  ) {}

  make(workspace: WorkspaceId): EventWriteKey {
    const key = newWriteKey();
    return { hash: this.hashOf(key), sealed: this.seals.seal(key, workspace) };
  }

  hashOf(key: string): string {
    return this.secrets.keyedHash(key);
  }

  open(sealed: Sealed, workspace: WorkspaceId): string {
    return this.seals.open(sealed, workspace);
  }
}

import { Injectable } from '@nestjs/common';
import { SecretBox } from '@penstock/runtime';

/** Computes keyed hashes of user ids: a user can be found by the hash, but not be derived from it. */
@Injectable()
export class UserHash {
  constructor(private readonly secrets: SecretBox) {}

  readonly of = (userId: string): string => this.secrets.keyedHash(userId);
}

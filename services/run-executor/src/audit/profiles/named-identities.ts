import { Numbers } from './numbers';

/** An identity with which a profile was made. */
export interface NamedIdentity {
  readonly identity: number;
  /** Place of the profile. */
  readonly profile: number;
}

/** Which identities facts name, in sixteen bytes each. */
export class NamedIdentities {
  private readonly identities = new Numbers();
  private readonly profiles = new Numbers();
  private count = 0;

  add({ identity, profile }: NamedIdentity): void {
    this.identities.set(this.count, identity);
    this.profiles.set(this.count, profile);
    this.count += 1;
  }

  /** By the numbers of the identities. */
  *sorted(): Generator<NamedIdentity> {
    const order = Uint32Array.from({ length: this.count }, (_, nth) => nth);
    order.sort((one, other) => this.identities.at(one) - this.identities.at(other));
    for (const nth of order)
      yield { identity: this.identities.at(nth), profile: this.profiles.at(nth) };
  }
}

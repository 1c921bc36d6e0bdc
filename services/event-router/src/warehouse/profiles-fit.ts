import type { ProfileSchema } from '@penstock/contracts';
import { align, type Schema } from '@penstock/schema';

/** Whether what pipelines give fits the schema of profiles, which may have changed since they were saved. */
export class ProfilesFit {
  private readonly known = new WeakMap<Schema, string>();

  constructor(private readonly profiles: ProfileSchema) {}

  /** Why values of the schema do not fit; undefined: they do. @param schema `null`: there are no values. */
  problemOf(schema: Schema | null): string | undefined {
    if (schema === null) return undefined;
    let problem = this.known.get(schema);
    if (problem === undefined) {
      const differences = align(schema, this.profiles.schema, null);
      problem = differences.map(({ property, message }) => `${property} ${message}`).join('; ');
      this.known.set(schema, problem);
    }
    return problem === '' ? undefined : `does not fit the schema of profiles: ${problem}`;
  }
}

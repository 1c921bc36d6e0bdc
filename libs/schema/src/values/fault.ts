import { type Issue, MAX_ISSUES, pointer } from '../issue';

/** Stands for a value that was refused. Its issues are located from that value. */
export class Fault {
  private constructor(readonly issues: readonly Issue[]) {}

  static of(message: string): Fault {
    return new Fault([{ path: '', message }]);
  }

  /** What is wrong with a whole, its own faults and those of its parts by name or index. */
  static gather(own: readonly string[], parts: ReadonlyMap<string | number, Fault>): Fault {
    const issues = own.map((message) => ({ path: '', message }));
    for (const [step, fault] of parts) {
      if (issues.length >= MAX_ISSUES) break;
      for (const { path, message } of fault.issues)
        issues.push({ path: pointer(step) + path, message });
    }
    return new Fault(issues);
  }
}

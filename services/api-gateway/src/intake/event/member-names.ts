/** Up to this number of names, comparing with each costs less than hashing. */
const MAX_COMPARED = 16;

/** Tracks the member names of the open objects, innermost last, to find a name that repeats within an object. */
export class MemberNames {
  private readonly names: string[] = [];
  private count = 0;
  /** Index of the first name of each open object. */
  private readonly starts: number[] = [];
  private start = 0;
  /** Sets of names for large objects, by the index of their first name. */
  private readonly sets = new Map<number, Set<string>>();

  open(): void {
    this.starts.push(this.start);
    this.start = this.count;
  }

  /** @returns false when the innermost object has a member of this name already. */
  add(name: string): boolean {
    const { names, start, count } = this;
    if (count - start >= MAX_COMPARED) return this.addToSet(name);
    for (let index = start; index < count; index += 1) if (names[index] === name) return false;
    names[count] = name;
    this.count += 1;
    return true;
  }

  close(): void {
    if (this.sets.size > 0) this.sets.delete(this.start);
    this.count = this.start;
    this.start = this.starts.pop() ?? 0;
  }

  private addToSet(name: string): boolean {
    const set = this.sets.get(this.start) ?? new Set(this.names.slice(this.start, this.count));
    if (set.has(name)) return false;
    this.sets.set(this.start, set.add(name));
    return true;
  }
}

/** A value that is of its type, and that a warehouse should not keep. */
export class Unwritable extends Error {}

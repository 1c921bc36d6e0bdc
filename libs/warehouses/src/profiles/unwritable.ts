/** A value that is of its type, and that a warehouse cannot, or should not, keep. */
export class Unwritable extends Error {}

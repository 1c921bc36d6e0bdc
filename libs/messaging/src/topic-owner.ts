/** The installation that topics belong to, on a log that several installations may share. */
export interface TopicOwner {
  /** The id of the installation. */
  readonly installation: string;
  /**
   * Topic of one partition, kept for ever, whose first record names the owner of the others. It is not made where the
   * owner is refused.
   */
  readonly marker: string;
  /**
   * Whether the installation has used this log before: then topics with records that name no owner are its own.
   * Otherwise such topics are refused.
   */
  readonly isKnown: boolean;
}

/** The topics belong to another installation. */
export class ForeignTopics extends Error {
  override readonly name = 'ForeignTopics';

  /**
   * @param marker the topic that names the owner.
   * @param owner the id of that installation.
   */
  constructor(
    readonly marker: string,
    readonly owner: string,
  ) {
    super(`by its topic ${marker}, these topics belong to installation ${owner}`);
  }
}

/** Topics have records and name no owner, and the installation has not used this log before. */
export class UnclaimedTopics extends Error {
  override readonly name = 'UnclaimedTopics';

  /**
   * @param topic one that has, or had, records.
   * @param marker the topic that should name the owner.
   */
  constructor(
    readonly topic: string,
    readonly marker: string,
  ) {
    super(
      `topic ${topic} has records, and no topic ${marker} names the installation they belong to`,
    );
  }
}

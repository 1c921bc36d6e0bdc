/** Results of one case, by names that contain the unit. */
export type Figures = Readonly<Record<string, number>>;

/** One case of a bench, measured once. */
export interface Measurement {
  readonly case: string;
  readonly figures: Figures;
}

/** The time that a renewal gives by default, and the most that a lease may live from its issue. */
export interface RenewalTerms {
  readonly defaultSeconds: number;
  readonly maxSeconds: number;
}

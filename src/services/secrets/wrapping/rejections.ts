/** Why the wrapping endpoints refuse. */
export interface WrappingRefusals {
  wrapping_token_invalid: Record<never, never>;
  wrap_ttl_missing: Record<never, never>;
}

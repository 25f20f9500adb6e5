/** Why a password policy is refused. */
export interface PasswordPolicyRefusals {
  password_policy_missing: Record<never, never>;
  password_policy_invalid: { readonly reason: string };
  password_policy_not_found: { readonly policy: string };
}

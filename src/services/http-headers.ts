/** Headers of a request, as far as services read them: `Headers`, or what stands for them. */
export type HeadersRead = Pick<Headers, "get">;

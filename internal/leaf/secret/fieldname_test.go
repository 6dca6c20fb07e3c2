package secret

import "testing"

// A name says a secret by its last words; a token that only marks a place, a word or a coin is none.
func TestIsFieldName(t *testing.T) {
	for name, want := range map[string]bool{
		"password": true, "db.password": true, "apiKey": true, "github_token": true, "clientSecret": true, "session_token": true, "sessionToken": true,
		"token": true, "Token": true, "jwt": true, "cookie": true, "session_id": true, "sessionId": true, "otp": true, "totp": true, "one_time_code": true,
		"authorization": true, "Authorization": true, "id_token": true, "csrfToken": true, "accesstoken": true,
		"page_token": false, "nextPageToken": false, "next_token": false, "nextToken": false, "token_count": false, "max_tokens": false, "stop_token": false,
		"cookie_recipe": false, "tokenizer": false, "laptop": false, "keyboard": false, "authorization_url": false, "session": false, "country_code": false,
		"compass": false, "quote_token": false, "": false,
	} {
		if got := IsFieldName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

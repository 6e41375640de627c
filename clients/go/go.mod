module recoup/clients/go

go 1.24
